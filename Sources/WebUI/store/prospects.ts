/** The effect of actions on conversations, before they are performed. */
import type { EmailHeader, Id, Mailbox, MailboxRole } from "../jmap/types.ts";
import type { Change } from "./emails.ts";
import { isMarking, type MailAction, type Moving } from "./mailAction.ts";
import { marks } from "./marks.ts";
import { apart, doomed, moves, type Places } from "./moves.ts";
import type { MailAccount, Parts } from "./parts.ts";
import { forbidden, isRestricted, undeletable } from "./rights.ts";
import { mailboxTitle } from "./scope.ts";
import type { Target } from "./target.ts";
import { movementOf } from "./verbs.ts";
import { isWhole } from "./whole.ts";

/** The part of the app that these questions need. */
export interface Accounts {
  account(id: Id | undefined): MailAccount | undefined;
}

export function placesOf(app: Accounts, accountId: Id): Places {
  const account = app.account(accountId);
  return { mailboxes: account?.mailboxes.list ?? [], hasLabels: account?.hasLabels ?? false };
}

/** A mailbox of the account, or its mailbox with this role. */
export function mailboxIn(app: Accounts, accountId: Id, to: Mailbox | MailboxRole): Mailbox | undefined {
  if (typeof to !== "string") return to;
  return app.account(accountId)?.mailboxes.list.find((mailbox) => mailbox.role === to);
}

/** Whether deleting these would be for good. */
export function isForGood(app: Accounts, targets: Target[]): boolean {
  return targets.length > 0 &&
    targets.every((target) => doomed(target, placesOf(app, target.accountId)).length > 0);
}

/** Trash or Spam, by its title, if all of a conversation that was found is there. */
export function apartTitle(app: Parts, target: Target): string | null {
  const mailbox = isWhole(app, [target]) && apart(target, placesOf(app, target.accountId));
  return mailbox ? mailboxTitle(mailbox) : null;
}

/** Whether a mailbox of the account would take anything of the conversation. */
export function wouldMove(app: Accounts, target: Target, to: Mailbox | MailboxRole): boolean {
  const mailbox = mailboxIn(app, target.accountId, to);
  return mailbox !== undefined && moves(target, mailbox, placesOf(app, target.accountId)).length > 0;
}

/** What an action changes in one conversation. Deleting for good changes nothing: it takes away. */
export function changesOf(app: Accounts, action: MailAction, target: Target): Change[] {
  if (isMarking(action)) return marks(action, target);
  const mailbox = mailboxIn(app, target.accountId, movementOf(action).to);
  return mailbox ? moves(target, mailbox, placesOf(app, target.accountId)) : [];
}

/** Why nothing of this can be done: an account has no such mailbox, or rights forbid it. Null if some of it can. */
export function refusal(app: Accounts, action: MailAction, targets: Target[]): string | null {
  const isLast = action.verb === "delete" && isForGood(app, targets);
  const missing = isMarking(action) || isLast ? null : missingPlace(app, action, targets);
  if (missing !== null) return missing;
  // Nearly always the rights allow everything, and nothing has to be worked out.
  const isFree = accountsOf(targets).every((id) => !placesOf(app, id).mailboxes.some(isRestricted));
  if (isFree) return null;
  return isLast ? refusedDeletion(app, targets) : refusedChange(app, action, targets);
}

/** What to say if an account has no mailbox for the verb. */
export function missingPlace(app: Accounts, action: Moving, targets: Target[]): string | null {
  const { to, missing } = movementOf(action);
  return accountsOf(targets).every((id) => mailboxIn(app, id, to)) ? null : missing;
}

function accountsOf(targets: Target[]): Id[] {
  return [...new Set(targets.map(({ accountId }) => accountId))];
}

function refusedDeletion(app: Accounts, targets: Target[]): string | null {
  const reasons = targets.flatMap((target) => {
    const places = placesOf(app, target.accountId);
    return doomed(target, places).map((email) => undeletable(email, places.mailboxes));
  });
  return reasons.find((reason) => reason !== null) ?? null;
}

/** A conversation is moved whole or not at all; marks are changed where they can be. */
function refusedChange(app: Accounts, action: MailAction, targets: Target[]): string | null {
  let first: string | null = null;
  for (const target of targets) {
    const { mailboxes } = placesOf(app, target.accountId);
    const emails = new Map<Id, EmailHeader>(target.emails.map((email) => [email.id, email]));
    const reasons = changesOf(app, action, target).map(({ id, patch }) => {
      const email = emails.get(id);
      return email ? forbidden(email, patch, mailboxes) : null;
    });
    const reason = reasons.find((one) => one !== null) ?? null;
    if (reason === null || isMarking(action) && reasons.includes(null)) return null;
    first ??= reason;
  }
  return first;
}
