import { words } from "../jmap/errors.ts";
import type { EmailHeader } from "../jmap/types.ts";
import { Commits } from "./commits.ts";
import type { Change, EmailRef } from "./emails.ts";
import { isMarking, type MailAction, type Marking, type Moving } from "./mailAction.ts";
import { doomed } from "./moves.ts";
import type { Parts } from "./parts.ts";
import { changesOf, isForGood, missingPlace, placesOf } from "./prospects.ts";
import { forbidden, undeletable } from "./rights.ts";
import type { Target } from "./target.ts";
import type { ThreadList } from "./threadList.ts";
import { movementOf } from "./verbs.ts";
import { isWhole, whole } from "./whole.ts";
import { counted } from "./words.ts";

/** Whether something was done; later where it has to be asked or loaded before. */
export type Did = boolean | Promise<boolean>;

/**
 * Does what the user does to mail. Every action of the page ends here, as a verb with its conversations: it shows
 * at once, can be undone for five seconds, and is put back with a message when the program refuses it.
 */
export class Performer {
  readonly #commits: Commits;

  constructor(private readonly app: Parts) {
    this.#commits = new Commits(app);
  }

  /** The lists that are open: what an action takes away disappears from them. */
  get lists(): Set<ThreadList> {
    return this.#commits.lists;
  }

  perform(action: MailAction, targets: Target[]): Did {
    if (!isMarking(action)) return this.#whole(targets, (targets) => this.#move(action, targets));
    // Only the newest message becomes unread or starred.
    const needsAll = action.verb === "read" && !action.isPart;
    const mark = (targets: Target[]) => this.#mark(action, targets);
    return needsAll ? this.#whole(targets, mark) : mark(targets);
  }

  /** Actions on conversations apply to all of their emails, which are usually loaded. */
  #whole(targets: Target[], work: (targets: Target[]) => Did): Did {
    if (isWhole(this.app, targets)) return work(targets);
    return whole(this.app, targets).then(work, (error) => this.#fail(words(error)));
  }

  #mark(action: Marking, targets: Target[]): boolean {
    const wanted = targets.flatMap((target) => changesOf(this.app, action, target));
    const changes = this.#allowed(wanted, action.isQuiet);
    const isTold = !action.isQuiet && (action.verb === "read" || action.verb === "unread");
    const told = isTold ? `${conversations(targets.length)} marked as ${action.verb}` : null;
    this.#commits.keep(changes, told);
    return changes.length > 0;
  }

  #move(action: Moving, targets: Target[]): Did {
    if (action.verb === "delete" && isForGood(this.app, targets)) return this.#destroy(targets);
    const missing = missingPlace(this.app, action, targets);
    return missing === null ? this.#take(action, targets) : this.#fail(missing);
  }

  /** A change of mailboxes, which removes conversations from lists they no longer belong to. */
  #take(action: Moving, targets: Target[]): boolean {
    const { done, nothing } = movementOf(action);
    const wanted = targets.map((target) => ({ target, changes: changesOf(this.app, action, target) }))
      .filter(({ changes }) => changes.length > 0);
    // A conversation is moved whole or not at all.
    const allowed = new Set(this.#allowed(wanted.flatMap(({ changes }) => changes)));
    const taken = wanted.filter(({ changes }) => changes.every((change) => allowed.has(change)));
    if (taken.length === 0) {
      if (wanted.length === 0 && targets.length > 0) this.app.toasts.show(nothing);
      return false;
    }
    const gone = taken.filter(({ target, changes }) => hasLeft(target, changes));
    this.#commits.leave(gone.map(({ target }) => target));
    this.#commits.keep(taken.flatMap(({ changes }) => changes), `${conversations(taken.length)} ${done}`);
    return true;
  }

  /** For good, after a question: nothing brings it back. */
  async #destroy(targets: Target[]): Promise<boolean> {
    const wanted = targets.flatMap(({ accountId, ...target }) =>
      doomed({ accountId, ...target }, placesOf(this.app, accountId)).map(({ id }) => ({ accountId, id }))
    );
    const refs = this.#permitted(wanted, (email, _, { mailboxes }) => undeletable(email, mailboxes));
    if (refs.length < wanted.length || !await this.#confirmDeletion(refs.length)) return false;
    this.#commits.leave(targets);
    try {
      await this.#commits.destroy(refs);
      this.app.toasts.show(`${counted(refs.length, "message")} deleted`);
    } catch (error) {
      this.app.toasts.problem(`Not deleted: ${words(error)}`);
    }
    return true;
  }

  #confirmDeletion(count: number): Promise<boolean> {
    return this.app.dialogs.confirm({
      title: count === 1
        ? "Permanently delete this message?"
        : `Permanently delete ${counted(count, "message")}?`,
      text: "This cannot be undone.",
      confirm: "Delete",
      isDestructive: true,
    });
  }

  /** The changes that the rights of the mailboxes allow. Says why the others are not, unless it is quiet. */
  #allowed(changes: Change[], isQuiet = false): Change[] {
    return this.#permitted(
      changes,
      (email, { patch }, { mailboxes }) => forbidden(email, patch, mailboxes),
      isQuiet,
    );
  }

  #permitted<One extends EmailRef>(
    all: One[],
    refusal: (email: EmailHeader, one: One, places: ReturnType<typeof placesOf>) => string | null,
    isQuiet = false,
  ): One[] {
    const reasons = new Set<string>();
    const permitted = all.filter((one) => {
      const email = this.app.emails.get(one.accountId, one.id);
      const reason = email ? refusal(email, one, placesOf(this.app, one.accountId)) : null;
      if (reason !== null) reasons.add(reason);
      return reason === null;
    });
    const [first] = reasons;
    if (first !== undefined && !isQuiet) this.#fail(first);
    return permitted;
  }

  #fail(reason: string): false {
    this.app.toasts.problem(reason);
    return false;
  }
}

/** Whether none of it is left in the current mailbox. */
function hasLeft({ emails, mailboxId }: Target, changes: Change[]): boolean {
  if (mailboxId === null) return false;
  const left = new Set(
    changes.filter(({ patch }) => patch.mailboxIds?.[mailboxId] === null).map(({ id }) => id),
  );
  return emails.every((email) => !email.mailboxIds[mailboxId] || left.has(email.id));
}

function conversations(count: number): string {
  return count === 1 ? "Conversation" : counted(count, "conversation");
}
