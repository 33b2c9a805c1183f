import type { Mailbox, MailboxRole } from "../jmap/types.ts";
import type { MailAction } from "./verbs.ts";
import type { Parts } from "./parts.ts";
import { mailboxIn, wouldTake } from "./prospects.ts";
import { isStarred, type Target } from "./target.ts";

/** Where conversations can be dropped: a mailbox, or all mailboxes of a kind. */
export interface DropPlace {
  mailbox?: Mailbox;
  accountId?: string;
  role: MailboxRole | null;
}

const DROPPED: Partial<Record<MailboxRole, MailAction>> = {
  inbox: { verb: "move", to: "inbox" },
  archive: { verb: "archive" },
  junk: { verb: "spam" },
  trash: { verb: "trash" },
  flagged: { verb: "star" },
};

/** What dropping there does; null where nothing can be dropped. */
export function dropAction({ mailbox, role }: DropPlace): MailAction | null {
  if (!mailbox) return (role && DROPPED[role]) ?? null;
  const isOpen = role !== "drafts" && mailbox.myRights["mayAddItems"] !== false;
  return isOpen ? { verb: "move", to: mailbox } : null;
}

/** Whether the place takes these conversations: nothing moves between accounts, or to where it is. */
export function takes(app: Parts, targets: Target[], place: DropPlace): boolean {
  const { mailbox, accountId, role } = place;
  if (targets.length === 0 || !dropAction(place)) return false;
  if (mailbox) {
    return targets.every((target) => target.accountId === accountId && wouldTake(target, mailbox));
  }
  if (role === "flagged") return targets.some((target) => !target.emails.some(isStarred));
  return targets.some((target) => {
    const place = role && mailboxIn(app, target.accountId, role);
    return place ? wouldTake(target, place) : false;
  });
}
