import type { Mailbox, MailboxRole } from "../jmap/types.ts";
import { isStarred, type Target } from "./target.ts";
import type { App } from "./app.ts";

/** Where conversations can be dropped: a mailbox, or all mailboxes of a kind. */
export interface DropPlace {
  mailbox?: Mailbox;
  accountId?: string;
  role: MailboxRole | null;
}

const TAKES = new Set<MailboxRole>(["inbox", "archive", "junk", "trash"]);

/** Whether the place takes these conversations: nothing moves between accounts, or to where it is. */
export function takes({ actions }: App, targets: Target[], { mailbox, accountId, role }: DropPlace): boolean {
  if (targets.length === 0) return false;
  if (mailbox) {
    return role !== "drafts" && mailbox.myRights["mayAddItems"] !== false &&
      targets.every((target) => target.accountId === accountId && actions.wouldMove(target, mailbox));
  }
  if (role === "flagged") return targets.some((target) => !target.emails.some(isStarred));
  return role !== null && TAKES.has(role) && targets.some((target) => actions.wouldMove(target, role));
}

/** Does what the keys do: archives, deletes, stars or moves. */
export function drop({ actions }: App, targets: Target[], { mailbox, role }: DropPlace): void {
  if (mailbox) actions.move(targets, mailbox);
  else if (role === "archive") actions.archive(targets);
  else if (role === "trash") actions.trash(targets);
  else if (role === "junk") actions.junk(targets);
  else if (role === "flagged") actions.setFlagged(targets, true);
  else if (role === "inbox") actions.toInbox(targets);
}
