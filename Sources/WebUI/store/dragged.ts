import type { Mailbox, MailboxRole } from "../jmap/types.ts";
import type { Target } from "./actions.ts";
import type { App } from "./app.ts";

/** Where conversations can be dropped: a mailbox, or all mailboxes of a kind. */
export interface DropPlace {
  mailbox?: Mailbox;
  accountId?: string;
  role: MailboxRole | null;
}

const TAKES = new Set<MailboxRole | null>(["inbox", "archive", "junk", "trash", "flagged"]);

/** Whether the place takes these conversations: nothing moves between accounts, or to where it is. */
export function takes(app: App, targets: Target[], { mailbox, accountId, role }: DropPlace): boolean {
  if (targets.length === 0) return false;
  if (!mailbox) {
    const isThere = (target: Target) =>
      app.account(target.accountId)?.mailboxes.get(target.mailboxId ?? "")?.role === role;
    return TAKES.has(role) && !targets.every(isThere);
  }
  return role !== "drafts" && mailbox.myRights["mayAddItems"] !== false &&
    targets.every((target) => target.accountId === accountId && target.mailboxId !== mailbox.id);
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
