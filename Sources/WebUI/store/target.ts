import type { EmailHeader, Id } from "../jmap/types.ts";

/** A conversation as an action takes it: its emails, and the mailbox that it is looked at in, if in one. */
export interface Target {
  accountId: Id;
  threadId: Id;
  emails: EmailHeader[];
  /** Null: everywhere, as in a search. */
  mailboxId: Id | null;
}

export function isStarred(email: EmailHeader): boolean {
  return email.keywords["$flagged"] === true;
}

export function isUnread(email: Pick<EmailHeader, "keywords">): boolean {
  return !email.keywords["$seen"] && !email.keywords["$draft"];
}
