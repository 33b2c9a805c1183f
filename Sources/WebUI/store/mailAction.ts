import type { Mailbox } from "../jmap/types.ts";

/** Moves conversations; which of their messages, and out of which mailboxes, `moves` decides. */
export type Moving =
  | { verb: "archive" | "trash" | "spam" }
  /** To Trash; permanently, for messages in Trash or Spam. */
  | { verb: "delete" }
  | { verb: "move"; to: Mailbox | "inbox" };

/** Changes marks. */
export interface Marking {
  verb: "read" | "unread" | "star" | "unstar";
  /** Only the given messages, not their whole conversations. */
  isPart?: boolean | undefined;
  /** Nothing is shown about it: reading marks as read by itself. */
  isQuiet?: boolean;
}

/** Something that is done to mail: a verb, and what the verb needs. */
export type MailAction = Moving | Marking;

const MARKING = new Set<string>(["read", "unread", "star", "unstar"]);

export function isMarking(action: MailAction): action is Marking {
  return MARKING.has(action.verb);
}
