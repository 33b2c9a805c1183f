import type { MailboxRole } from "../jmap/types.ts";
import type { FolderColor } from "../jmap/vendor.ts";
import type { IconName } from "../ui/Icon.tsx";

const ICONS: Record<string, IconName> = {
  inbox: "inbox",
  drafts: "drafts",
  sent: "send",
  archive: "archive",
  junk: "spam",
  trash: "trash",
  flagged: "star",
  snoozed: "clock",
};

export function folderIcon(role: MailboxRole | null): IconName {
  return ICONS[role ?? ""] ?? "folder";
}

/** The class of what shows a folder in its color. */
export function folderTint(color: FolderColor | null): string {
  return color ? `tint tint-${color}` : "";
}
