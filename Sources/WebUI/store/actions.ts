import { words } from "../jmap/errors.ts";
import type { EmailHeader, Id, Mailbox, MailboxRole } from "../jmap/types.ts";
import { Change, EmailRef, Emails, inverse, Patch } from "./emails.ts";
import { apart, doomed, moves, type Places } from "./moves.ts";
import type { Parts } from "./parts.ts";
import { forbidden, undeletable } from "./rights.ts";
import { rowKey } from "./rows.ts";
import type { ThreadList } from "./threadList.ts";
import { mailboxTitle } from "./scope.ts";
import { inAccounts, pointers } from "./pointers.ts";
import { isStarred, type Target } from "./target.ts";
import { isWhole, whole } from "./whole.ts";
import { counted } from "./words.ts";

/** Whether something was done; later where somebody has to be asked before. */
export type Did = boolean | Promise<boolean>;

/**
 * What a person does to mail. Shows at once, can be undone for five seconds, and is put back with a message
 * when the program refuses it.
 */
export class Actions {
  /** The lists that are open: what an action takes away disappears from them. */
  readonly lists = new Set<ThreadList>();

  constructor(private readonly app: Parts, private readonly emails: Emails) {}

  /** Each of these says whether there was something to do. */
  archive(targets: Target[]): Did {
    return this.#moveTo(targets, "archive", "archived", {
      missing: "There is no archive in this account.",
      nothing: "There is nothing to archive here: this is not in the inbox.",
    });
  }

  /** To Trash; for good what is there already, or in Spam. */
  delete(targets: Target[]): Did {
    return this.#whole(
      targets,
      (targets) => this.isForGood(targets) ? this.#destroy(targets) : this.trash(targets),
    );
  }

  trash(targets: Target[]): Did {
    return this.#moveTo(targets, "trash", "moved to Trash", {
      missing: "There is no Trash in this account.",
      nothing: "This is in Trash already.",
    });
  }

  /** Whether deleting these would be for good. */
  isForGood(targets: Target[]): boolean {
    return targets.length > 0 &&
      targets.every((target) => doomed(target, this.places(target.accountId)).length > 0);
  }

  /** What to call where all of it is that was found, if that is Trash or Spam. */
  apart(target: Target): string | null {
    const mailbox = isWhole(this.app, [target]) && apart(target, this.places(target.accountId));
    return mailbox ? mailboxTitle(mailbox) : null;
  }

  junk(targets: Target[]): Did {
    return this.#moveTo(targets, "junk", "marked as spam", {
      missing: "There is no Spam in this account.",
      nothing: "Nobody else has written anything here that is not in Spam already.",
    });
  }

  toInbox(targets: Target[]): Did {
    return this.#moveTo(targets, "inbox", "moved to Inbox", {
      missing: "There is no Inbox in this account.",
      nothing: "This is in the inbox already.",
    });
  }

  /** To another mailbox of the same account. */
  move(targets: Target[], mailbox: Mailbox): Did {
    const name = mailboxTitle(mailbox);
    return this.#take(targets, () => mailbox, `moved to ${name}`, `This is in ${name} already.`);
  }

  /** Whether a mailbox of the account with this role, or this one, would take something of it. */
  wouldMove(target: Target, to: Mailbox | MailboxRole): boolean {
    const mailbox = typeof to === "string" ? this.mailbox(target.accountId, to) : to;
    return mailbox !== undefined && moves(target, mailbox, this.places(target.accountId)).length > 0;
  }

  /** `isPart`: it is done to the given emails alone, and not to the whole conversations. */
  setSeen(targets: Target[], isSeen: boolean, isQuiet = false, isPart = isQuiet): void {
    if (isSeen && !isPart) this.#whole(targets, (targets) => this.#setSeen(targets, isSeen, isQuiet));
    else this.#setSeen(targets, isSeen, isQuiet);
  }

  #setSeen(targets: Target[], isSeen: boolean, isQuiet: boolean): boolean {
    const wanted = targets.flatMap((target) => {
      const newest = target.emails.at(-1);
      const emails = isSeen
        ? target.emails.filter((email) => !email.keywords["$seen"])
        : newest
        ? [newest]
        : [];
      return emails.map((email) => change(target, email, { keywords: { $seen: isSeen || null } }));
    });
    const changes = this.#allowed(wanted, isQuiet);
    this.#keep(
      changes,
      isQuiet ? null : `${conversations(targets.length)} marked as ${isSeen ? "read" : "unread"}`,
    );
    return changes.length > 0;
  }

  setFlagged(targets: Target[], isFlagged: boolean): void {
    const changes = targets.flatMap((target) => {
      const newest = target.emails.at(-1);
      const emails = isFlagged ? (newest ? [newest] : []) : target.emails.filter(isStarred);
      return emails.map((email) => change(target, email, { keywords: { $flagged: isFlagged || null } }));
    });
    this.#keep(this.#allowed(changes), null);
  }

  flagEmail(ref: EmailRef, isFlagged: boolean): void {
    this.#keep(this.#allowed([{ ...ref, patch: { keywords: { $flagged: isFlagged || null } } }]), null);
  }

  /** The mailbox of an account with a role. */
  mailbox(accountId: Id, role: MailboxRole): Mailbox | undefined {
    return this.app.account(accountId)?.mailboxes.list.find((mailbox) => mailbox.role === role);
  }

  places(accountId: Id): Places {
    const account = this.app.account(accountId);
    return { mailboxes: account?.mailboxes.list ?? [], hasLabels: account?.hasLabels ?? false };
  }

  #moveTo(
    targets: Target[],
    role: MailboxRole,
    done: string,
    { missing, nothing }: { missing: string; nothing: string },
  ): Did {
    if (targets.some((target) => !this.mailbox(target.accountId, role))) {
      this.app.toasts.problem(missing);
      return false;
    }
    return this.#take(targets, (target) => this.mailbox(target.accountId, role), done, nothing);
  }

  /** What is done to conversations is done to all of their emails. Nearly always they are known. */
  #whole(targets: Target[], work: (targets: Target[]) => Did): Did {
    if (isWhole(this.app, targets)) return work(targets);
    return whole(this.app, targets).then(work, (error) => {
      this.app.toasts.problem(words(error));
      return false;
    });
  }

  #take(
    targets: Target[],
    to: (target: Target) => Mailbox | undefined,
    done: string,
    nothing: string,
  ): Did {
    return this.#whole(targets, (targets) => this.#takeWhole(targets, to, done, nothing));
  }

  /** A change of mailboxes, which takes conversations out of the lists that they are not in any more. */
  #takeWhole(
    targets: Target[],
    to: (target: Target) => Mailbox | undefined,
    done: string,
    nothing: string,
  ): boolean {
    const wanted = targets.map((target) => {
      const mailbox = to(target);
      return { target, changes: mailbox ? moves(target, mailbox, this.places(target.accountId)) : [] };
    }).filter(({ changes }) => changes.length > 0);
    // A conversation is moved whole or not at all.
    const allowed = new Set(this.#allowed(wanted.flatMap(({ changes }) => changes)));
    const taken = wanted.filter(({ changes }) => changes.every((change) => allowed.has(change)));
    if (taken.length === 0) {
      if (wanted.length === 0 && targets.length > 0) this.app.toasts.show(nothing);
      return false;
    }
    this.#leave(taken.filter(({ target, changes }) => hasLeft(target, changes)).map(({ target }) => target));
    this.#keep(taken.flatMap(({ changes }) => changes), `${conversations(taken.length)} ${done}`);
    return true;
  }

  /** The changes that the rights of the mailboxes allow. Says why the others are not, unless it is quiet. */
  #allowed(changes: Change[], isQuiet = false): Change[] {
    return this.#permitted(
      changes,
      isQuiet,
      (email, { patch }, mailboxes) => forbidden(email, patch, mailboxes),
    );
  }

  #permitted<One extends EmailRef>(
    all: One[],
    isQuiet: boolean,
    refusal: (email: EmailHeader, one: One, mailboxes: Mailbox[]) => string | null,
  ): One[] {
    const reasons = new Set<string>();
    const permitted = all.filter((one) => {
      const email = this.emails.get(one.accountId, one.id);
      const reason = email ? refusal(email, one, this.places(one.accountId).mailboxes) : null;
      if (reason !== null) reasons.add(reason);
      return reason === null;
    });
    const [first] = reasons;
    if (first !== undefined && !isQuiet) this.app.toasts.problem(first);
    return permitted;
  }

  /** For good, after a question: nothing brings it back. */
  async #destroy(targets: Target[]): Promise<boolean> {
    const wanted = targets.flatMap((target) =>
      doomed(target, this.places(target.accountId)).map(({ id }) => ({ accountId: target.accountId, id }))
    );
    const refs = this.#permitted(wanted, false, (email, _, mailboxes) => undeletable(email, mailboxes));
    if (refs.length < wanted.length) return false;
    const isYes = await this.app.dialogs.confirm({
      title: refs.length === 1
        ? "Delete this message for good?"
        : `Delete ${counted(refs.length, "message")} for good?`,
      text: "It cannot be brought back.",
      confirm: "Delete",
      isDestructive: true,
    });
    if (!isYes) return false;
    this.#leave(targets);
    try {
      await inAccounts(refs, (accountId, own) => this.#set(accountId, { destroy: own.map(({ id }) => id) }));
      this.app.toasts.show(`${counted(refs.length, "message")} deleted`);
    } catch (error) {
      this.app.toasts.problem(`It could not be deleted: ${words(error)}`);
    }
    this.#refreshLists();
    return true;
  }

  #leave(targets: Target[]): void {
    const keys = new Set(targets.map(rowKey));
    for (const list of this.lists) list.remove(keys);
  }

  /** Lays the change over what is known, sends it, and offers to undo it. */
  #keep(changes: Change[], told: string | null): void {
    if (changes.length === 0) return;
    const undo = new Map(changes.flatMap((change): [Change, Change][] => {
      const email = this.emails.get(change.accountId, change.id);
      return email ? [[change, { ...change, patch: inverse(email, change.patch) }]] : [];
    }));
    const done = this.#commit(changes);
    if (told === null) return;
    const toast = this.app.toasts.show(told, {
      seconds: 5,
      action: {
        label: "Undo",
        run: async () => {
          // What the program refused is put back already.
          const back = (await done).flatMap((change) => undo.get(change) ?? []);
          const undone = await this.#commit(back);
          if (back.length > 0 && undone.length === back.length) {
            this.app.toasts.show("Undone", { seconds: 2 });
          }
          this.#refreshLists();
        },
      },
    });
    done.then((changes) => changes.length === 0 && this.app.toasts.dismiss(toast));
  }

  /** Returns what was done of it. */
  async #commit(changes: Change[]): Promise<Change[]> {
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
    if (first === undefined) return changes;
    this.#refreshLists();
    const what = refused.size === changes.length ? "That" : "Some of that";
    this.app.toasts.problem(`${what} could not be done, and was put back: ${first}`);
    return changes.filter((change) => !refused.has(change));
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

/** Whether nothing of it is in the mailbox any more that it is looked at in. */
function hasLeft({ emails, mailboxId }: Target, changes: Change[]): boolean {
  if (mailboxId === null) return false;
  const left = new Set(
    changes.filter(({ patch }) => patch.mailboxIds?.[mailboxId] === null).map(({ id }) => id),
  );
  return emails.every((email) => !email.mailboxIds[mailboxId] || left.has(email.id));
}

function change(target: Target, email: EmailHeader, patch: Patch): Change {
  return { accountId: target.accountId, id: email.id, patch };
}

function conversations(count: number): string {
  return count === 1 ? "Conversation" : counted(count, "conversation");
}
