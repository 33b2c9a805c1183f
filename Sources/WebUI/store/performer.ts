import { words } from "../jmap/errors.ts";
import type { Question } from "../base/dialogs.ts";
import type { Id, Mailbox } from "../jmap/types.ts";
import { ActionLog, isAutomatic, isBusy, type Outcome, type Recorded, recorded } from "./actionLog.ts";
import { countsAfter } from "./counters.ts";
import type { Change } from "./emails.ts";
import type { Parts } from "./parts.ts";
import { leaves, marks, placeOf, refusal } from "./prospects.ts";
import { rowKey } from "./rows.ts";
import { mailboxOf, mailboxTitle, type Scope, totalIn } from "./scope.ts";
import { shownIn } from "./shown.ts";
import type { Target } from "./target.ts";
import type { ThreadList } from "./threadList.ts";
import { factsOf, type MailAction } from "./verbs.ts";
import { comingTime, counted } from "./words.ts";

/** Whether something was done; later where the user is asked first. */
export type Did = boolean | Promise<boolean>;

/** Changes at almost the same time in several accounts were one action of the user. */
const AT_ONCE_MS = 5000;
/** So many messages are marked as read in one call. */
const MOST_SEEN = 500;

/**
 * Does what the user does to mail. Every action of the page ends here: the program performs it, and the page shows at
 * once what it can foresee, and corrects that by the answer.
 */
export class Performer {
  /** The lists that are open: what leaves them disappears at once. */
  readonly lists = new Set<ThreadList>();
  readonly log: ActionLog;
  /** What the program answers, or has answered, to the newest action. */
  newest: Promise<Outcome[]> = Promise.resolve([]);

  constructor(private readonly app: Parts) {
    this.log = new ActionLog(app);
  }

  /** - Parameter all: all conversations of a list, of which `targets` are those that are selected on the screen. */
  perform(action: MailAction, chosen: Target[], all: Scope | null = null): Did {
    const targets = all && chosen.length === 0 ? shownIn(this.app, this.lists, all) : chosen;
    const reason = refusal(this.app, action, targets, all);
    if (reason !== null) {
      this.app.toasts.problem(reason);
      return false;
    }
    if (action.verb !== "destroy") return this.#begin(action, targets, all);
    const isEmptied = all !== null && chosen.length === 0;
    const question = isEmptied ? emptying(this.app, all) : destroying(targets, all && this.#countOf(all));
    return this.app.dialogs.confirm(question).then((isYes) => isYes && this.#begin(action, targets, all));
  }

  /** How many conversations a list has that is open; “all” where that is not known. */
  #countOf({ sources }: Scope): number | "all" {
    return [...this.lists].find((list) => list.sources === sources)?.total || "all";
  }

  /** Adds labels and removes others, as one action: with one toast, and undone together. */
  relabel(added: Mailbox[], removed: Mailbox[], targets: Target[], all: Scope | null = null): boolean {
    // A message that loses its last label is archived, so the new ones come first.
    const actions: MailAction[] = [
      ...added.map((to): MailAction => ({ verb: "label", to })),
      ...removed.map((to): MailAction => ({ verb: "unlabel", to })),
    ];
    const [first, ...others] = actions;
    if (!first) return false;
    const reason = actions.map((action) => refusal(this.app, action, targets, all))
      .find((one) => one !== null);
    if (reason) this.app.toasts.problem(reason);
    return reason ? false : this.#begin(first, targets, all, others);
  }

  /** Marks messages as read that were shown. The user did nothing to them, so nothing is reported or undone. */
  async see(accountId: Id, ids: Id[]): Promise<void> {
    const changes = ids.map((id) => ({ accountId, id, keywords: { $seen: true as const } }));
    const showCounts = countsAfter(this.app, { verb: "read" }, changes);
    this.app.emails.lay(changes);
    const done = this.#mark(accountId, changes);
    showCounts(done);
    await done;
  }

  async #mark(accountId: Id, changes: Change[]): Promise<void> {
    for (let at = 0; at < changes.length; at += MOST_SEEN) {
      const some = changes.slice(at, at + MOST_SEEN);
      const update = Object.fromEntries(some.map(({ id }) => [id, { "keywords/$seen": true }]));
      const answer = await this.app.client.call("Email/set", { accountId, update }).catch(() => null);
      const refused = answer === null ? update : answer["notUpdated"] ?? {};
      this.app.emails.settle(some, ({ id }) => id in (refused as object));
    }
  }

  /** Undoes the last action on record, also one of a page that was open before this one. */
  async undoLast(): Promise<void> {
    await this.newest;
    const newest = await this.log.newest(10, { mayUndo: true }).catch((error) => {
      this.app.toasts.problem(words(error));
    });
    if (!newest) return;
    // The program archives later messages of muted conversations by itself.
    const [last, ...others] = newest.filter((one) => !isAutomatic(one));
    if (!last) {
      this.app.toasts.show("There is nothing to undo.");
      return;
    }
    const time = Date.parse(last.createdAt);
    const together = others.filter(({ verb, accountId, client, createdAt }) =>
      verb === last.verb && client === last.client && accountId !== last.accountId &&
      time - Date.parse(createdAt) < AT_ONCE_MS
    );
    await this.undo([last, ...together], this.log.summary(last.verb, [last, ...together]));
  }

  /** Undoes actions of which the user may have undone some already. */
  async undoRest(actions: Pick<Recorded, "accountId" | "id">[]): Promise<void> {
    try {
      const left = (await Promise.all(actions.map((action) => this.log.read(action)))).flat()
        .filter(({ mayUndo }) => mayUndo);
      const [first] = left;
      if (first) await this.undo(left, this.log.summary(first.verb, left));
    } catch (error) {
      this.app.toasts.problem(`Not undone: ${words(error)}`);
    }
  }

  /** Undoes actions, and reports what could not be undone. */
  async undo(actions: Recorded[], what = ""): Promise<void> {
    const outcomes = await Promise.all(actions.map((action) => this.log.undo(action)));
    for (const outcome of outcomes) {
      if ("problem" in outcome) this.app.toasts.problem(`Not undone: ${outcome.problem}`);
    }
    const undone = recorded(outcomes);
    if (undone.length > 0) {
      await this.#follow(undone, this.app.toasts.show("Undoing…", { seconds: null }), what);
    }
    this.#refreshLists();
  }

  /**
   * Shows what can be foreseen, and lets the program do it.
   *
   * - Parameter others: what is done together with the action, and changes neither keywords nor numbers at once.
   */
  #begin(action: MailAction, targets: Target[], all: Scope | null, others: MailAction[] = []): true {
    const changes = targets.flatMap((target) => marks(action, target));
    const showCounts = countsAfter(this.app, action, changes, targets, all);
    this.app.emails.lay(changes);
    const actions = [action, ...others];
    const isGone = (target: Target) => actions.some((one) => leaves(this.app, one, target));
    const gone = new Set(targets.filter(isGone).map(rowKey));
    for (const list of this.lists) list.remove(gone);
    const asked = Promise.all(
      actions.flatMap((one) => requests(this.app, one, targets, all))
        .map(([id, values]) => this.log.perform(id, values)),
    );
    this.newest = asked;
    const toast = this.#announce(action, all ? null : targets.length, asked, others.length > 0);
    showCounts(asked.then((outcomes) => this.#end(action, changes, outcomes, toast)));
    return true;
  }

  /** Says what is done, unless the row shows it. Of a whole list, that is known later. */
  #announce(
    { verb, to, until }: MailAction,
    known: number | null,
    asked: Promise<Outcome[]>,
    isSeveral: boolean,
  ): number | null {
    if (known !== null && (verb === "star" || verb === "unstar")) return null;
    // The last is undone first: a message must not lose its only label on the way.
    const undo = () =>
      asked.then((outcomes) =>
        this.undo(recorded(outcomes).filter((one) => one.changed > 0 || isBusy(one)).reverse())
      );
    const action = verb === "destroy" ? null : { label: "Undo", run: undo };
    if (known === null || verb === "destroy") {
      return this.app.toasts.show("Working…", { seconds: null, action });
    }
    if (verb === "remind" && until) {
      const time = comingTime(new Date(until));
      return this.app.toasts.show(`You will be reminded ${time} if there is no reply`, { action });
    }
    if (verb === "unremind") return this.app.toasts.show("Reminder removed", { action });
    const what = known === 1 ? "Conversation" : counted(known, "conversation");
    if (isSeveral) {
      return this.app.toasts.show(`Labels of ${known === 1 ? "conversation" : what} changed`, { action });
    }
    const place = to === "inbox" ? " Inbox" : to ? ` ${mailboxTitle(to)}` : "";
    const time = until ? ` until ${comingTime(new Date(until))}` : "";
    return this.app.toasts.show(`${what} ${factsOf(verb).done}${place}${time}`, { action });
  }

  /** Corrects the page by the answer. */
  async #end(
    action: MailAction,
    changes: Change[],
    outcomes: Outcome[],
    toast: number | null,
  ): Promise<void> {
    const { toasts } = this.app;
    const refused = new Map(outcomes.flatMap((outcome): [Id, string][] => {
      if ("problem" in outcome) return [[outcome.accountId, outcome.problem]];
      const { refusal, refused } = outcome.record;
      return refused > 0 ? [[outcome.accountId, refusal ?? ""]] : [];
    }));
    this.app.emails.settle(changes, ({ accountId }) => refused.has(accountId));
    const records = recorded(outcomes);
    const isNothing = records.every((record) => record.changed === 0 && !isBusy(record));
    const [reason] = refused.values();
    const { nothing } = factsOf(action.verb);
    if (isNothing && toast !== null) toasts.dismiss(toast);
    if (reason !== undefined && action.verb === "remind") toasts.problem(`No reminder: ${reason}`);
    else if (reason !== undefined) {
      toasts.problem(`${isNothing ? "The change was" : "Some changes were"} undone: ${reason}`);
    } else if (isNothing && nothing) toasts.show(nothing);
    if (isNothing || reason !== undefined) this.#refreshLists();
    const isOpen = toasts.list.some(({ id, seconds }) => id === toast && seconds === null);
    if (toast !== null && (isOpen || records.some(isBusy))) await this.#follow(records, toast);
  }

  /** Shows in a toast how far actions are, and at last how they ended. */
  async #follow(actions: Recorded[], toast: number, what = ""): Promise<void> {
    const { log, app: { toasts } } = this;
    const tell = (now: Recorded[], seconds: number | null) =>
      toasts.update(toast, { text: log.progress(now, what), seconds });
    try {
      const ended = await log.untilDone(actions, (now) => tell(now, null));
      tell(ended, ended.some(({ kept }) => kept > 0) ? 10 : 5);
    } catch (error) {
      toasts.dismiss(toast);
      toasts.problem(words(error));
    }
  }

  #refreshLists(): void {
    for (const list of this.lists) list.refresh();
  }
}

/** Before conversations are deleted permanently: those that are selected, or as many as their list has. */
function destroying(targets: Target[], inList: number | "all" | null): Question {
  const one = targets[0]?.emails.length === 1 ? "this message" : "this conversation";
  const what = targets.length === 1 ? one : counted(targets.length, "conversation");
  const everything = typeof inList === "number"
    ? `${inList === 1 ? "the only conversation" : `all ${counted(inList, "conversation")}`} in this list`
    : "everything in this list";
  return {
    title: `Permanently delete ${inList === null ? what : everything}?`,
    text: "Only messages in Trash and Spam are deleted. This cannot be undone.",
    confirm: "Delete",
    isDestructive: true,
  };
}

/** Before all of Trash or Spam is deleted. */
function emptying(app: Parts, scope: Scope): Question {
  return {
    title: `Empty ${scope.title}?`,
    text: `${counted(totalIn(app, scope), "message")} will be deleted permanently. This cannot be undone.`,
    confirm: "Delete",
    isDestructive: true,
  };
}

/** What is asked of the program, for each account. */
function requests(
  app: Parts,
  action: MailAction,
  targets: Target[],
  all: Scope | null,
): [Id, Record<string, unknown>][] {
  const { to, isPart, ...rest } = action;
  const values = (accountId: Id) => ({
    ...rest,
    ...(to ? { mailboxId: placeOf(app, action, accountId)?.id } : {}),
  });
  if (all) {
    return all.sources.map(({ accountId, filter }) => {
      const inMailboxId = mailboxOf(app, all, accountId);
      return [accountId, { ...values(accountId), filter, ...(inMailboxId ? { inMailboxId } : {}) }];
    });
  }
  return [...new Set(targets.map(({ accountId }) => accountId))].map((accountId) => {
    const own = targets.filter((target) => target.accountId === accountId);
    const inMailboxId = own[0]?.mailboxId;
    const mail = isPart
      ? { emailIds: own.flatMap(({ emails }) => emails.map(({ id }) => id)) }
      : { threadIds: own.map(({ threadId }) => threadId), ...(inMailboxId ? { inMailboxId } : {}) };
    return [accountId, { ...values(accountId), ...mail }];
  });
}
