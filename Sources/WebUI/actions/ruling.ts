import { words } from "../jmap/errors.ts";
import { CAPABILITY } from "../jmap/program.ts";
import type { Rule, RuleAction } from "../jmap/rules.ts";
import type { Address, Id, Mailbox } from "../jmap/types.ts";
import type { App } from "../store/app.ts";
import type { MailAccount } from "../store/parts.ts";
import { addRule, condition, mailboxPath, removeRule } from "../store/rules.ts";
import type { Action, Subject } from "./action.ts";
import { openSettings } from "./openSettings.ts";

/** The sender of the only message; null if that is the user, or if rules cannot be made. */
function senderOf({ app, targets }: Subject): Address | null {
  const sender = targets[0]?.emails[0]?.from?.[0];
  const isOther = sender && sender.email.includes("@") && !app.ownAddresses.has(sender.email.toLowerCase());
  return isOther && app.client.has(CAPABILITY.rules) ? sender : null;
}

const domainOf = (address: Address) => address.email.slice(address.email.lastIndexOf("@") + 1);
const applies = (subject: Subject) => senderOf(subject) !== null;

/** What puts later messages where the only message is: in a folder of the user's own, or under a label. */
function filing({ app, targets }: Subject): RuleAction & { value: string } | null {
  const [target] = targets;
  const list = target && app.account(target.accountId)?.mailboxes.list;
  const isIn = (id: string) => target?.emails[0]?.mailboxIds[id] === true;
  const folder = list?.find(({ id, role }) => role === null && isIn(id));
  if (!list || !folder) return null;
  const isInInbox = list.some(({ id, role }) => role === "inbox" && isIn(id));
  return { verb: isInInbox ? "label" : "move", value: mailboxPath(folder, list) };
}

type Added = Pick<Rule, "name" | "conditions" | "actions">;

function add({ app, targets }: Subject, values: Added): Promise<void> {
  return addWithUndo(app, targets[0]?.accountId, values);
}

/** Adds a rule with one click, which can be taken back with another. */
async function addWithUndo(app: App, accountId: Id | undefined, values: Added): Promise<void> {
  if (!accountId) return;
  const rule: Rule = { kind: "rule", isOn: true, joining: "all", ...values };
  try {
    const name = await addRule(app, accountId, rule);
    const undo = () => {
      removeRule(app, accountId, name).catch((error) => app.toasts.problem(words(error)));
    };
    app.toasts.show(`Rule added: ${name}`, { action: { label: "Undo", run: undo }, seconds: 10 });
  } catch (error) {
    app.toasts.problem(words(error));
  }
}

/** Rules that begin with a message. */
export const RULING: Action<Subject>[] = [
  {
    id: "ruleLike",
    label: "Create rule from this message…",
    icon: "filter",
    places: ["messageMenu"],
    applies,
    run: ({ app, targets }) => {
      const [target] = targets;
      const email = target?.emails[0];
      if (target && email) openSettings(app, "rules", target.accountId, email.id);
    },
  },
  {
    id: "vip",
    label: "Always star this sender (VIP)",
    icon: "star",
    places: ["messageMenu"],
    applies,
    run: (subject) => {
      const sender = senderOf(subject);
      if (!sender) return;
      void add(subject, {
        name: `VIP ${sender.email}`,
        conditions: [condition("sender", sender.email)],
        actions: [{ verb: "star", value: null }],
      });
    },
  },
  {
    id: "fileSender",
    label: (subject) => {
      const { verb, value } = filing(subject) ?? { verb: "move", value: "" };
      return verb === "label"
        ? `Always label this sender “${value}”`
        : `Always move this sender to “${value}”`;
    },
    title: "Always move the sender to the message’s folder",
    icon: "folder",
    places: ["messageMenu"],
    applies: (subject) => applies(subject) && filing(subject) !== null,
    run: (subject) => {
      const [sender, action] = [senderOf(subject), filing(subject)];
      if (sender && action) void add(subject, filed(sender.email, action));
    },
  },
  {
    id: "fileSenderTo",
    label: "Always move this sender to…",
    icon: "move",
    places: ["messageMenu"],
    applies,
    run: ({ app, targets }) => {
      const [target] = targets;
      const email = target?.emails[0];
      if (target && email) app.folderForm.value = { kind: "file", accountId: target.accountId, email };
    },
  },
  {
    id: "blockSender",
    label: "Block this sender",
    icon: "close",
    places: ["messageMenu"],
    applies,
    run: (subject) => {
      const sender = senderOf(subject);
      if (sender) void add(subject, blocking(sender.email, condition("sender", sender.email)));
    },
  },
  {
    id: "blockDomain",
    label: (subject) => `Block everyone at ${domainOf(senderOf(subject) ?? { name: null, email: "" })}`,
    title: "Block everyone at the sender’s domain",
    icon: "close",
    places: ["messageMenu"],
    applies,
    run: (subject) => {
      const sender = senderOf(subject);
      if (!sender) return;
      const domain = domainOf(sender);
      void add(subject, blocking(domain, condition("domain", domain)));
    },
  },
];

/** Moves later messages of a sender to a mailbox, by a rule. */
export function fileSender(app: App, account: MailAccount, email: string, to: Mailbox): Promise<void> {
  const action = { verb: "move", value: mailboxPath(to, account.mailboxes.list) } as const;
  return addWithUndo(app, account.id, filed(email, action));
}

function filed(email: string, action: RuleAction & { value: string }): Added {
  return {
    name: `${email} in ${action.value}`,
    conditions: [condition("sender", email)],
    actions: [action],
  };
}

/** Blocks a sender by a rule. */
export function block(app: App, accountId: Id, email: string): Promise<void> {
  return addWithUndo(app, accountId, blocking(email, condition("sender", email)));
}

function blocking(
  what: string,
  one: Rule["conditions"][number],
): Added {
  return {
    name: `Block ${what}`,
    conditions: [one],
    actions: [{ verb: "trash", value: null }, { verb: "stop", value: null }],
  };
}
