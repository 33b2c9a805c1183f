import type { Mailbox } from "../jmap/types.ts";

/** A mailbox in its place among the others. */
export interface Folder {
  mailbox: Mailbox;
  depth: number;
  hasChildren: boolean;
  /** Its number of unread conversations or drafts, with those of the folders that are hidden in it. */
  unread: number;
}

/** The number next to a mailbox: drafts, or unread conversations. */
export function badge(mailbox: Mailbox): number {
  if (mailbox.role === "drafts") return mailbox.totalEmails;
  return ["sent", "trash", "archive"].includes(mailbox.role ?? "") ? 0 : mailbox.unreadThreads;
}

/**
 * Parents before their children, by the order that the program gives and then by name.
 *
 * - Parameter isCollapsed: whether what is in a mailbox is hidden.
 */
export function foldersOf(
  mailboxes: Mailbox[],
  isCollapsed: (id: string) => boolean = () => false,
): Folder[] {
  const folders: Folder[] = [];
  const children = byParent(mailboxes);
  const visit = (parent: string | null, depth: number, hiddenIn: Folder | null) => {
    for (const mailbox of children.get(parent) ?? []) {
      const folder = { mailbox, depth, hasChildren: children.has(mailbox.id), unread: badge(mailbox) };
      if (hiddenIn) hiddenIn.unread += mailbox.role === "drafts" ? 0 : folder.unread;
      else folders.push(folder);
      visit(mailbox.id, depth + 1, hiddenIn ?? (isCollapsed(mailbox.id) ? folder : null));
    }
  };
  visit(null, 0, null);
  return folders;
}

/** The mailboxes in each one, in their order; under null, those in none that is known. */
function byParent(mailboxes: Mailbox[]): Map<string | null, Mailbox[]> {
  const known = new Set(mailboxes.map(({ id }) => id));
  const children = new Map<string | null, Mailbox[]>();
  const sorted = [...mailboxes].sort((left, right) =>
    left.sortOrder - right.sortOrder || left.name.localeCompare(right.name)
  );
  for (const mailbox of sorted) {
    const parent = mailbox.parentId && known.has(mailbox.parentId) ? mailbox.parentId : null;
    children.set(parent, [...children.get(parent) ?? [], mailbox]);
  }
  return children;
}
