import { words } from "../jmap/errors.ts";
import type { EmailHeader, Id, Mailbox, MailboxRole } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { Change, EmailRef, Emails, inverse, Patch } from "./emails.ts";
import { rowKey } from "./rows.ts";
import type { ThreadList } from "./threadList.ts";
import { counted } from "./words.ts";

/** A conversation as an action takes it: its emails, and the mailbox that it is looked at in, if in one. */
export interface Target {
  accountId: Id;
  threadId: Id;
  emails: EmailHeader[];
  /** Null: everywhere, as in a search. */
  mailboxId: Id | null;
}

const AT_ONCE = 500;

/**
 * What a person does to mail. Shows at once, can be undone for five seconds, and is put back with a message
 * when the program refuses it.
 */
export class Actions {
  /** The lists that are open: what an action takes away disappears from them. */
  readonly lists = new Set<ThreadList>();

  constructor(private readonly app: App, private readonly emails: Emails) {}

  archive(targets: Target[]): void {
    this.#moveTo(targets, "archive", "archived", "There is no archive in this account.");
  }

  trash(targets: Target[]): void {
    this.#moveTo(targets, "trash", "moved to Trash", "There is no Trash in this account.");
  }

  junk(targets: Target[]): void {
    this.#moveTo(targets, "junk", "marked as spam", "There is no Spam in this account.");
  }

  toInbox(targets: Target[]): void {
    this.#moveTo(targets, "inbox", "moved to Inbox", "There is no Inbox in this account.");
  }

  /** To another mailbox of the same account. */
  move(targets: Target[], mailbox: Mailbox): void {
    const changes = targets.flatMap((target) => moves(target, mailbox.id));
    this.#take(targets, changes, `${conversations(targets.length)} moved to ${mailbox.name}`);
  }

  setSeen(targets: Target[], isSeen: boolean, isQuiet = false): void {
    const changes = targets.flatMap((target) => {
      const newest = target.emails.at(-1);
      const emails = isSeen
        ? target.emails.filter((email) => !email.keywords["$seen"])
        : newest
        ? [newest]
        : [];
      return emails.map((email) => change(target, email, { keywords: { $seen: isSeen || null } }));
    });
    this.#keep(
      changes,
      isQuiet ? null : `${conversations(targets.length)} marked as ${isSeen ? "read" : "unread"}`,
    );
  }

  setFlagged(targets: Target[], isFlagged: boolean): void {
    const changes = targets.flatMap((target) => {
      const newest = target.emails.at(-1);
      const emails = isFlagged ? (newest ? [newest] : []) : target.emails.filter(isStarred);
      return emails.map((email) => change(target, email, { keywords: { $flagged: isFlagged || null } }));
    });
    this.#keep(changes, null);
  }

  flagEmail(ref: EmailRef, isFlagged: boolean): void {
    this.#keep([{ ...ref, patch: { keywords: { $flagged: isFlagged || null } } }], null);
  }

  /** For good, after a question: nothing brings it back. */
  async destroy(targets: Target[]): Promise<void> {
    const refs = targets.flatMap((target) =>
      here(target).map(({ id }) => ({ accountId: target.accountId, id }))
    );
    const isYes = await this.app.dialogs.confirm({
      title: refs.length === 1
        ? "Delete this message for good?"
        : `Delete ${counted(refs.length, "message")} for good?`,
      text: "It cannot be brought back.",
      confirm: "Delete",
      isDestructive: true,
    });
    if (!isYes) return;
    this.#leave(targets);
    try {
      await inAccounts(refs, (accountId, own) => this.#set(accountId, { destroy: own.map(({ id }) => id) }));
      this.app.toasts.show(`${counted(refs.length, "message")} deleted`);
    } catch (error) {
      this.app.toasts.problem(`It could not be deleted: ${words(error)}`);
    }
    this.#refreshLists();
  }

  /** The mailbox of an account with a role. */
  mailbox(accountId: Id, role: MailboxRole): Mailbox | undefined {
    return this.app.account(accountId)?.mailboxes.list.find((mailbox) => mailbox.role === role);
  }

  #moveTo(targets: Target[], role: MailboxRole, done: string, missing: string): void {
    const changes: Change[] = [];
    for (const target of targets) {
      const mailbox = this.mailbox(target.accountId, role);
      if (!mailbox) return void this.app.toasts.problem(missing);
      changes.push(...moves(target, mailbox.id));
    }
    this.#take(targets, changes, `${conversations(targets.length)} ${done}`);
  }

  /** A change that takes conversations out of the list. */
  #take(targets: Target[], changes: Change[], told: string): void {
    if (changes.length === 0) return;
    this.#leave(targets.filter((target) => target.mailboxId !== null));
    this.#keep(changes, told);
  }

  #leave(targets: Target[]): void {
    const keys = new Set(targets.map(rowKey));
    for (const list of this.lists) list.remove(keys);
  }

  /** Lays the change over what is known, sends it, and offers to undo it. */
  #keep(changes: Change[], told: string | null): void {
    if (changes.length === 0) return;
    const undo = changes.flatMap(({ accountId, id, patch }): Change[] => {
      const email = this.emails.get(accountId, id);
      return email ? [{ accountId, id, patch: inverse(email, patch) }] : [];
    });
    const done = this.#commit(changes);
    if (told === null) return;
    const toast = this.app.toasts.show(told, {
      seconds: 5,
      action: {
        label: "Undo",
        run: async () => {
          // What the program refused is put back already.
          if (await done && await this.#commit(undo)) this.app.toasts.show("Undone", { seconds: 2 });
          this.#refreshLists();
        },
      },
    });
    done.then((isDone) => !isDone && this.app.toasts.dismiss(toast));
  }

  async #commit(changes: Change[]): Promise<boolean> {
    this.emails.lay(changes);
    const refused = new Map<Change, string>();
    await inAccounts(changes, async (accountId, own) => {
      try {
        const update = Object.fromEntries(own.map(({ id, patch }) => [id, pointers(patch)]));
        const answer = await this.#set(accountId, { update });
        for (const change of own) {
          const problem = answer.notUpdated?.[change.id];
          if (problem) refused.set(change, problem.description ?? problem.type);
        }
      } catch (error) {
        for (const change of own) refused.set(change, words(error));
      }
    });
    this.emails.settle(changes, (change) => refused.has(change));
    const [first] = refused.values();
    if (first === undefined) return true;
    this.#refreshLists();
    this.app.toasts.problem(`That could not be done, and was put back: ${first}`);
    return false;
  }

  #refreshLists(): void {
    for (const list of this.lists) list.refresh();
  }

  #set(accountId: Id, values: Record<string, unknown>): Promise<SetAnswer> {
    return this.app.client.call<SetAnswer>("Email/set", { accountId, ...values });
  }
}

interface SetAnswer {
  notUpdated?: Record<Id, { type: string; description?: string }> | null;
}

/** The emails of the conversation that are in the mailbox it is looked at in. */
export function here(target: Target): EmailHeader[] {
  const { mailboxId } = target;
  return mailboxId === null ? target.emails : target.emails.filter((email) => email.mailboxIds[mailboxId]);
}

export function isStarred(email: EmailHeader): boolean {
  return email.keywords["$flagged"] === true;
}

export function isUnread(email: EmailHeader): boolean {
  return !email.keywords["$seen"] && !email.keywords["$draft"];
}

function moves(target: Target, to: Id): Change[] {
  if (target.mailboxId === to) return [];
  return here(target).map((email) => {
    const from = target.mailboxId === null ? Object.keys(email.mailboxIds) : [target.mailboxId];
    const mailboxIds: Record<Id, true | null> = Object.fromEntries(from.map((id) => [id, null]));
    return change(target, email, { mailboxIds: { ...mailboxIds, [to]: true } });
  });
}

function change(target: Target, email: EmailHeader, patch: Patch): Change {
  return { accountId: target.accountId, id: email.id, patch };
}

function conversations(count: number): string {
  return count === 1 ? "Conversation" : counted(count, "conversation");
}

/** A patch as RFC 8620, 5.3 writes it. */
function pointers(patch: Patch): Record<string, true | null> {
  const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");
  return Object.fromEntries(
    Object.entries(patch).flatMap(([property, changes]) =>
      Object.entries(changes as Record<string, true | null>).map(([key, value]) => [
        `${property}/${escaped(key)}`,
        value,
      ])
    ),
  );
}

async function inAccounts<T extends EmailRef>(
  refs: T[],
  work: (accountId: Id, refs: T[]) => Promise<unknown>,
): Promise<void> {
  const accounts = [...new Set(refs.map((ref) => ref.accountId))];
  await Promise.all(accounts.map(async (accountId) => {
    const own = refs.filter((ref) => ref.accountId === accountId);
    for (let at = 0; at < own.length; at += AT_ONCE) await work(accountId, own.slice(at, at + AT_ONCE));
  }));
}
