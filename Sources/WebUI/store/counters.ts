/** The numbers of unread conversations beside the folders, before the program has counted again. */
import type { EmailHeader, Id, Mailbox } from "../jmap/types.ts";
import type { Change } from "./emails.ts";
import type { Parts } from "./parts.ts";
import { leaves } from "./prospects.ts";
import { mailboxOf, type Scope } from "./scope.ts";
import { isUnread, type Target } from "./target.ts";
import type { MailAction } from "./verbs.ts";

/** By account and mailbox: how much its number of unread conversations changes; all of it where that is known. */
type Steps = Map<Id, Map<Id, number>>;

/**
 * What an action does to the numbers. It is found before the change itself is shown.
 *
 * - Parameter changes: what happens to the keywords of emails.
 * - Returns: what shows the new numbers, until `done`.
 */
export function countsAfter(
  app: Parts,
  action: MailAction,
  changes: Change[],
  targets: Target[] = [],
  all: Scope | null = null,
): (done: Promise<unknown>) => void {
  const gone = targets.filter((target) => leaves(app, action, target));
  const steps = all ? emptied(app, action, all, gone.length > 0) : stepsOf(app, changes, gone);
  return (done) => steps.forEach((counts, accountId) => show(app, accountId, counts, done));
}

function show(app: Parts, accountId: Id, counts: Map<Id, number>, done: Promise<unknown>): void {
  const mailboxes = app.account(accountId)?.mailboxes;
  const patches = [...counts].flatMap(([id, step]): [Id, Partial<Mailbox>][] => {
    const unreadThreads = (mailboxes?.get(id)?.unreadThreads ?? 0) + step;
    return step === 0 || unreadThreads < 0 ? [] : [[id, { unreadThreads }]];
  });
  mailboxes?.foresee(patches, done);
}

/** All of a folder is read, or leaves it. */
function emptied(app: Parts, { verb }: MailAction, all: Scope, isLeft: boolean): Steps {
  const steps: Steps = new Map();
  if (all.category !== null || verb !== "read" && !isLeft) return steps;
  for (const { accountId } of all.sources) {
    const mailbox = app.account(accountId)?.mailboxes.get(mailboxOf(app, all, accountId) ?? "");
    if (mailbox) steps.set(accountId, new Map([[mailbox.id, -mailbox.unreadThreads]]));
  }
  return steps;
}

/** Conversations that are no longer unread, or are now, in all of their folders; and those that leave one. */
function stepsOf(app: Parts, changes: Change[], gone: Target[]): Steps {
  const steps: Steps = new Map();
  const add = (accountId: Id, mailboxId: Id, step: number) => {
    const counts = steps.get(accountId) ?? new Map<Id, number>();
    steps.set(accountId, counts.set(mailboxId, (counts.get(mailboxId) ?? 0) + step));
  };
  for (const { accountId, emails, seen } of threadsOf(app, changes)) {
    const isNow = emails.some((email) => seen.has(email.id) ? !seen.get(email.id) : isUnread(email));
    const step = Number(isNow) - Number(emails.some(isUnread));
    const places = new Set(emails.flatMap(({ mailboxIds }) => Object.keys(mailboxIds)));
    for (const place of places) add(accountId, place, step);
  }
  for (const { accountId, mailboxId, emails } of gone) {
    if (mailboxId !== null && emails.some(isUnread)) add(accountId, mailboxId, -1);
  }
  return steps;
}

interface Marked {
  accountId: Id;
  emails: EmailHeader[];
  /** The marked emails, and whether they are read afterwards. */
  seen: Map<Id, boolean>;
}

/** The conversations of emails that are marked as read or unread. */
function threadsOf(app: Parts, changes: Change[]): Marked[] {
  const threads = new Map<string, Marked>();
  for (const { accountId, id, keywords } of changes) {
    const email = "$seen" in keywords ? app.emails.get(accountId, id) : undefined;
    if (!email) continue;
    const key = `${accountId}/${email.threadId}`;
    const members = app.emails.members(accountId, email.threadId);
    const thread = threads.get(key) ??
      { accountId, emails: members.length > 0 ? members : [email], seen: new Map() };
    threads.set(key, thread);
    thread.seen.set(id, keywords["$seen"] === true);
  }
  return [...threads.values()];
}
