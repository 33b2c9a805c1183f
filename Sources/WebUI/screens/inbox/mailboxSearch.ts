import type { Mailbox } from "../../jmap/types.ts";
import { mailboxTitle } from "../../store/scope.ts";

/** Those that have the text in their name; the one of just this name first. */
export function matching(mailboxes: Mailbox[], text: string): Mailbox[] {
  const wanted = text.trim().toLowerCase();
  const found = mailboxes.filter((mailbox) => titleOf(mailbox).includes(wanted));
  const exact = found.filter((mailbox) => titleOf(mailbox) === wanted);
  return [...exact, ...found.filter((mailbox) => !exact.includes(mailbox))];
}

/** Whether there is no mailbox of this name, in any case of its letters. */
export function isMissing(mailboxes: Mailbox[], text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return wanted !== "" &&
    mailboxes.every((mailbox) => titleOf(mailbox) !== wanted && mailbox.name.toLowerCase() !== wanted);
}

function titleOf(mailbox: Mailbox): string {
  return mailboxTitle(mailbox).toLowerCase();
}
