import type { Mailbox, MailboxRole } from "../jmap/types.ts";
import type { Moving } from "./mailAction.ts";
import { mailboxTitle } from "./scope.ts";

/** Where a verb moves mail to, and how that is reported. */
export interface Movement {
  to: Mailbox | MailboxRole;
  /** After “Conversation” or “3 conversations”. */
  done: string;
  missing: string;
  nothing: string;
}

const TRASH: Movement = {
  to: "trash",
  done: "moved to Trash",
  missing: "There is no Trash in this account.",
  nothing: "This is in Trash already.",
};

const MOVEMENTS: Record<Exclude<Moving["verb"], "move">, Movement> = {
  archive: {
    to: "archive",
    done: "archived",
    missing: "There is no archive in this account.",
    nothing: "There is nothing to archive here: this is not in the inbox.",
  },
  trash: TRASH,
  // For good where the mail is in Trash or Spam already, which is no movement.
  delete: TRASH,
  spam: {
    to: "junk",
    done: "marked as spam",
    missing: "There is no Spam in this account.",
    nothing: "Nobody else has written anything here that is not in Spam already.",
  },
};

const TO_INBOX: Movement = {
  to: "inbox",
  done: "moved to Inbox",
  missing: "There is no Inbox in this account.",
  nothing: "This is in the inbox already.",
};

export function movementOf(action: Moving): Movement {
  if (action.verb !== "move") return MOVEMENTS[action.verb];
  if (action.to === "inbox") return TO_INBOX;
  const name = mailboxTitle(action.to);
  return { to: action.to, done: `moved to ${name}`, missing: "", nothing: `This is in ${name} already.` };
}
