import type { EmailHeader, Id, Mailbox } from "../jmap/types.ts";
import type { Patch } from "./emails.ts";
import { mailboxTitle } from "./scope.ts";

/**
 * Why the rights of the mailboxes do not allow this change of an email, or null. The program refuses it as well: here it
 * is known before anything is shown as done. Keywords need their right in every mailbox that the email is in.
 */
export function forbidden(email: EmailHeader, patch: Patch, mailboxes: Mailbox[]): string | null {
  const places = Object.entries(patch.mailboxIds ?? {});
  const added = places.filter(([, isIn]) => isIn).map(([id]) => id);
  const left = places.filter(([, isIn]) => !isIn).map(([id]) => id);
  const at = Object.keys(email.mailboxIds);
  const keywords = Object.keys(patch.keywords ?? {});
  const seen = keywords.includes("$seen") ? at : [];
  const marked = keywords.some((keyword) => keyword !== "$seen") ? at : [];
  const check = (right: string, ids: Id[], say: (name: string) => string) =>
    missing(right, ids, mailboxes, say);
  return check("mayAddItems", added, (name) => `Messages cannot be added to “${name}”.`) ??
    check("mayRemoveItems", left, (name) => `Messages cannot be removed from “${name}”.`) ??
    check("maySetSeen", seen, (name) => `Messages in “${name}” cannot be marked as read or unread.`) ??
    check("maySetKeywords", marked, (name) => `Stars and tags cannot be changed in “${name}”.`);
}

/** Why the email cannot be deleted for good, or null. */
export function undeletable(email: EmailHeader, mailboxes: Mailbox[]): string | null {
  const at = Object.keys(email.mailboxIds);
  return missing("mayRemoveItems", at, mailboxes, (name) => `Messages in “${name}” cannot be deleted.`);
}

const RIGHTS = ["mayAddItems", "mayRemoveItems", "maySetSeen", "maySetKeywords"];

/** Whether anything is forbidden in the mailbox that an action may need. */
export function isRestricted({ myRights }: Mailbox): boolean {
  return RIGHTS.some((right) => myRights[right] === false);
}

function missing(
  right: string,
  ids: Id[],
  mailboxes: Mailbox[],
  say: (name: string) => string,
): string | null {
  const mailbox = mailboxes.find(({ id, myRights }) => ids.includes(id) && myRights[right] === false);
  return mailbox ? say(mailboxTitle(mailbox)) : null;
}
