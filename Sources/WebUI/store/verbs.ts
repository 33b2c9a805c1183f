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
  missing: "This account has no Trash.",
  nothing: "These messages are already in Trash.",
};

const MOVEMENTS: Record<Exclude<Moving["verb"], "move">, Movement> = {
  archive: {
    to: "archive",
    done: "archived",
    missing: "This account has no Archive.",
    nothing: "Nothing to archive: these messages are not in the inbox.",
  },
  trash: TRASH,
  // For good where the mail is in Trash or Spam already, which is no movement.
  delete: TRASH,
  spam: {
    to: "junk",
    done: "marked as spam",
    missing: "This account has no Spam folder.",
    nothing: "These messages are already in Spam.",
  },
};

const TO_INBOX: Movement = {
  to: "inbox",
  done: "moved to Inbox",
  missing: "This account has no Inbox.",
  nothing: "These messages are already in the inbox.",
};

export function movementOf(action: Moving): Movement {
  if (action.verb !== "move") return MOVEMENTS[action.verb];
  if (action.to === "inbox") return TO_INBOX;
  const name = mailboxTitle(action.to);
  return {
    to: action.to,
    done: `moved to ${name}`,
    missing: "",
    nothing: `These messages are already in ${name}.`,
  };
}
