import { MethodError } from "../jmap/errors.ts";
import type { Condition, Rehearsed, Rule, RuleEntry, RuleList, Script } from "../jmap/rules.ts";
import type { EmailHeader, Id, Mailbox, State } from "../jmap/types.ts";
import type { Parts } from "./parts.ts";
import { refuse, type SetAnswer } from "./records.ts";

/** Changes the rules of an account; again if another client changes them meanwhile. */
export async function changeRules(
  app: Parts,
  accountId: Id,
  change: (entries: RuleEntry[]) => RuleEntry[],
): Promise<void> {
  for (let tries = 0;; tries += 1) {
    const { list, state } = await app.client.call<{ list: RuleList[]; state: State }>("RuleList/get", {
      accountId,
    });
    try {
      await setRules(app, accountId, { entries: change(list[0]?.entries ?? []) }, state);
      return;
    } catch (error) {
      if (!(error instanceof MethodError && error.type === "stateMismatch") || tries > 5) throw error;
    }
  }
}

/** Replaces the rules of an account. */
export async function setRules(
  app: Parts,
  accountId: Id,
  values: { entries: RuleEntry[] } | { text: string },
  ifInState: State | null = null,
): Promise<void> {
  refuse(
    await app.client.call<SetAnswer>("RuleList/set", {
      accountId,
      ifInState,
      update: { singleton: values },
    }),
  );
}

/** Changes one entry, wherever it is by now. What another window has changed is not overwritten. */
export function changeEntry(
  app: Parts,
  accountId: Id,
  entry: RuleEntry,
  change: (entries: RuleEntry[], index: number) => RuleEntry[],
): Promise<void> {
  return changeRules(app, accountId, (entries) => {
    const index = entries.findIndex((other) => isSame(other, entry));
    if (index < 0) throw new Error("This rule was changed in another window. Open it again.");
    return change(entries, index);
  });
}

/**
 * Adds a rule. Rules about single senders come first, so that no other rule takes their messages. One that does the same
 * is there only once; one that only has the same name stays, and the new one is numbered.
 *
 * @returns what it is called
 */
export async function addRule(app: Parts, accountId: Id, rule: Rule): Promise<string> {
  const isFirst = rule.conditions.some(({ field }) => field === "sender" || field === "domain");
  let name = rule.name;
  await changeRules(app, accountId, (entries) => {
    const others = entries.filter((one) => one.kind === "text" || !doesTheSame(one, rule));
    name = freeName(rule.name, others);
    const added = { ...rule, name };
    return isFirst ? [added, ...others] : [...others, added];
  });
  return name;
}

function freeName(name: string, entries: RuleEntry[]): string {
  const taken = new Set(entries.map((one) => one.kind === "rule" ? one.name.toLowerCase() : ""));
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name} (${number})`;
  return free;
}

function isSame(one: RuleEntry, other: RuleEntry): boolean {
  if (one.kind === "text" || other.kind === "text") {
    return one.kind === "text" && other.kind === "text" && one.text === other.text;
  }
  return one.name === other.name && one.isOn === other.isOn && doesTheSame(one, other);
}

export function doesTheSame(one: Rule, other: Rule): boolean {
  const work = ({ joining, conditions, actions }: Rule) =>
    JSON.stringify([
      conditions.length > 1 ? joining : "all",
      conditions.map(({ field, value, isNegated }) => [field, value, isNegated]),
      actions.map(({ verb, value }) => [verb, value]),
    ]);
  return work(one) === work(other);
}

/** Takes a rule away again, by its name. */
export function removeRule(app: Parts, accountId: Id, name: string): Promise<void> {
  return changeRules(
    app,
    accountId,
    (entries) => entries.filter((entry) => entry.kind === "text" || entry.name !== name),
  );
}

export function rehearse(app: Parts, accountId: Id, script: Script): Promise<Rehearsed> {
  return app.client.call<Rehearsed>("RuleList/rehearse", { accountId, ...script });
}

/** Throws if it is not a script that the program takes. */
export async function checkText(app: Parts, accountId: Id, text: string): Promise<void> {
  await app.client.call<Rehearsed>("RuleList/rehearse", { accountId, text, limit: 1 });
}

/** A mailbox as rules name it: `Lists/Swift`. */
export function mailboxPath(mailbox: Mailbox, mailboxes: Mailbox[]): string {
  const parent = mailboxes.find(({ id }) => id === mailbox.parentId);
  return parent ? `${mailboxPath(parent, mailboxes)}/${mailbox.name}` : mailbox.name;
}

/**
 * A rule about the sender of a message, or about its mailing list, where each message has another sender.
 *
 * @param listId the field `List-Id`: `Rowers <rowers.example.org>`
 */
export function ruleLike(email: Pick<EmailHeader, "from">, listId: string | null = null): Rule {
  const sender = email.from?.[0];
  const [, listName = "", list = ""] = /^\s*"?([^<"]*?)"?\s*<([^<>\s]+)>\s*$/.exec(listId ?? "") ?? [];
  const conditions = list ? [condition("list", list)] : sender ? [condition("sender", sender.email)] : [];
  const name = (list ? listName.trim() || list : sender?.name || sender?.email) || "New rule";
  return { kind: "rule", name: name.slice(0, 200), isOn: true, joining: "all", conditions, actions: [] };
}

export function condition(field: Condition["field"], value: Condition["value"]): Condition {
  return { field, value, isNegated: false };
}
