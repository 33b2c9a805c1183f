import type { MailboxRole } from "../jmap/types.ts";
import type { App } from "../store/app.ts";
import { ROLE_TITLES } from "../store/scope.ts";
import type { IconName } from "../ui/Icon.tsx";
import type { Action } from "./action.ts";
import { showMail } from "./showMail.ts";

const PLACES: [key: string, role: MailboxRole, icon: IconName][] = [
  ["i", "inbox", "inbox"],
  ["s", "flagged", "star"],
  ["b", "snoozed", "clock"],
  ["d", "drafts", "drafts"],
  ["t", "sent", "send"],
  ["a", "archive", "archive"],
];

/** What leads to the folders that all accounts have. */
export const GOING: Action[] = PLACES.map(([key, role, icon]): Action => ({
  id: `go-${role}`,
  label: `Go to ${ROLE_TITLES[role]}`,
  icon,
  keys: [`g ${key}`],
  applies: ({ app }) => isThere(app, role),
  run: ({ app }) => isThere(app, role) ? showMail(app, ["mail", "all", role]) : false,
}));

/** A star is a mark, and no mailbox. */
function isThere({ accounts }: App, role: MailboxRole): boolean {
  return role === "flagged" ||
    accounts.some(({ mailboxes }) => mailboxes.list.some((mailbox) => mailbox.role === role));
}
