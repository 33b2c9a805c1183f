import type { Mailbox, MailboxRole } from "../jmap/types.ts";
import type { MailAction } from "./verbs.ts";
import type { Parts } from "./parts.ts";
import { marks, placeOf, wouldTake } from "./prospects.ts";
import type { Target } from "./target.ts";

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
  const action = dropAction(place);
  if (!action || targets.length === 0) return false;
  const changes = (target: Target) => {
    const to = placeOf(app, action, target.accountId);
    return to ? wouldTake(target, to) : marks(action, target).length > 0;
  };
  if (!place.mailbox) return targets.some(changes);
  return targets.every((target) => target.accountId === place.accountId && changes(target));
}
