/**
 * What the page shows of an action before the program has answered: rows that leave, keywords that change, and buttons
 * that could do nothing. Whatever it does not foresee is corrected by the answer.
 */
import type { Id, Mailbox, MailboxRole } from "../jmap/types.ts";
import type { Change } from "./emails.ts";
import type { Parts } from "./parts.ts";
import { mailboxTitle, ROLE_TITLES, type Scope } from "./scope.ts";
import type { Target } from "./target.ts";
import { factsOf, type MailAction, type Right } from "./verbs.ts";

const APART: (MailboxRole | null)[] = ["trash", "junk"];

/** The mailbox of the account that an action is about: where it moves to, or a label. */
export function placeOf(app: Parts, { verb, to }: MailAction, accountId: Id): Mailbox | undefined {
  const place = to ?? factsOf(verb).role;
  if (typeof place !== "string") return place;
  return app.account(accountId)?.mailboxes.list.find(({ role }) => role === place);
}

/** Trash or Spam, if the conversation is nowhere else: it can only be deleted permanently. */
export function apart(app: Parts, { accountId, threadId, emails, mailboxId }: Target): Mailbox | undefined {
  const places = app.account(accountId)?.mailboxes.list.filter(({ role }) => APART.includes(role)) ?? [];
  if (mailboxId !== null) return places.find(({ id }) => id === mailboxId);
  const sent = emails.filter((email) => !email.keywords["$draft"]);
  const isWhole = app.emails.thread(accountId, threadId)?.length === emails.length;
  const [first, ...others] = sent.map(({ mailboxIds }) => places.find(({ id }) => mailboxIds[id]));
  return isWhole && others.every((place) => place !== undefined) ? first : undefined;
}

/** Whether all of these are in Trash or Spam alone, or in the one of them with this role. */
export function areApart(app: Parts, targets: Target[], role?: "junk"): boolean {
  return targets.length > 0 && targets.every((target) => {
    const place = apart(app, target);
    return place && (!role || place.role === role);
  });
}

/** Whether the mailbox could take any of the conversation. */
export function wouldTake({ mailboxId, emails }: Target, { id }: Mailbox): boolean {
  return mailboxId !== id && emails.some(({ mailboxIds }) => !mailboxIds[id]);
}

/** Whether the conversation leaves the mailbox in which it is shown. */
export function leaves(app: Parts, action: MailAction, { accountId, mailboxId }: Target): boolean {
  const { verb } = action;
  if (mailboxId === null) return false;
  const account = app.account(accountId);
  const role = account?.mailboxes.get(mailboxId)?.role ?? null;
  if (verb === "mute") return role === "inbox";
  if (verb === "snooze") {
    return role === "inbox" || APART.includes(role) || role !== "snoozed" && !account?.hasLabels;
  }
  if (verb === "unsnooze") return role === "snoozed";
  // The archive takes messages out of the inbox, and leaves their labels.
  if (factsOf(verb).role === "archive") {
    return role === "inbox" || APART.includes(role) || role === null && !account?.hasLabels;
  }
  const place = placeOf(app, action, accountId);
  if (verb === "unlabel") return place?.id === mailboxId;
  return verb === "destroy" || verb !== "label" && place !== undefined && place.id !== mailboxId;
}

/** The keywords that an action changes. */
export function marks({ verb }: MailAction, { accountId, emails }: Target): Change[] {
  const [keyword, value, isOfNewest] = factsOf(verb).mark ?? [];
  if (keyword === undefined || value === undefined) return [];
  return emails.slice(isOfNewest ? -1 : 0)
    .filter(({ keywords }) => (keywords[keyword] === true) !== (value === true))
    .map(({ id }) => ({ accountId, id, keywords: { [keyword]: value } }));
}

/** Why the program would refuse all of this, as far as the page can be certain: of a whole list it knows only a part. */
export function refusal(
  app: Parts,
  action: MailAction,
  targets: Target[],
  all: Scope | null = null,
): string | null {
  const { role, right } = factsOf(action.verb);
  if (role && targets.some(({ accountId }) => !placeOf(app, action, accountId))) {
    return `This account has no ${ROLE_TITLES[role]} folder.`;
  }
  if (all) return null;
  const reasons = targets.map((target) => right ? forbidden(app, right, target) : null);
  return reasons.includes(null) ? null : reasons[0] ?? null;
}

const FORBIDDEN: Record<Right, (name: string) => string> = {
  mayRemoveItems: (name) => `Messages cannot be removed from “${name}”.`,
  maySetSeen: (name) => `Messages in “${name}” cannot be marked as read or unread.`,
  maySetKeywords: (name) => `Stars and tags cannot be changed in “${name}”.`,
};

/** A message can leave some of its mailboxes, but keywords need the right in all of them (RFC 8621, section 2). */
function forbidden(app: Parts, right: Right, { accountId, emails }: Target): string | null {
  const account = app.account(accountId);
  const closed = account?.mailboxes.list.filter(({ myRights }) => myRights[right] === false) ?? [];
  const [first] = closed;
  if (!first) return null;
  const isClosed = (id: Id) => closed.some((mailbox) => mailbox.id === id);
  const areForbidden = emails.every(({ mailboxIds }) =>
    right === "mayRemoveItems"
      ? Object.keys(mailboxIds).every(isClosed)
      : Object.keys(mailboxIds).some(isClosed)
  );
  if (!areForbidden) return null;
  return FORBIDDEN[right](
    mailboxTitle(closed.find(({ id }) => emails.some(({ mailboxIds }) => mailboxIds[id])) ?? first),
  );
}
