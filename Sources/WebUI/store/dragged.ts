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

/**
 * What dropping there does; null where nothing can be dropped. A label is added, a folder is moved to.
 *
 * - Parameter isMove: the user holds Shift, which moves to a label as well.
 */
export function dropAction(
  app: Pick<Parts, "account">,
  { mailbox, accountId, role }: DropPlace,
  isMove = false,
): MailAction | null {
  if (!mailbox) return (role && DROPPED[role]) ?? null;
  if (role === "drafts" || mailbox.myRights["mayAddItems"] === false) return null;
  const isLabel = role === null && app.account(accountId)?.hasLabels && !isMove;
  return { verb: isLabel ? "label" : "move", to: mailbox };
}

/** Whether the place takes these conversations: nothing moves between accounts, or to where it is. */
export function takes(app: Parts, targets: Target[], place: DropPlace): boolean {
  const action = dropAction(app, place);
  if (!action || targets.length === 0) return false;
  const changes = (target: Target) => {
    const to = placeOf(app, action, target.accountId);
    return to ? wouldTake(target, to) : marks(action, target).length > 0;
  };
  if (!place.mailbox) return targets.some(changes);
  return targets.every((target) => target.accountId === place.accountId && changes(target));
}
