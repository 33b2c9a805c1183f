import type { Id, Mailbox, MailboxRole } from "../jmap/types.ts";

/** A mailbox in its place among the others. */
export interface Folder {
  mailbox: Mailbox;
  depth: number;
  hasChildren: boolean;
  /** Its number of unread conversations or drafts, with those of the folders that are hidden in it. */
  unread: number;
}

/** Mailboxes that show no number unless the user wants it. */
const QUIET: (MailboxRole | null)[] = ["sent", "trash", "archive", "snoozed"];

/**
 * The number next to a mailbox: drafts, or unread conversations.
 *
 * - Parameter isCounted: whether the user wants to see it.
 */
export function badge(mailbox: Mailbox, isCounted = isCountedAtFirst(mailbox)): number {
  if (!isCounted) return 0;
  return mailbox.role === "drafts" ? mailbox.totalEmails : mailbox.unreadThreads;
}

export function isCountedAtFirst({ role }: Mailbox): boolean {
  return !QUIET.includes(role);
}

/**
 * Parents before their children, by the order that the program gives and then by name.
 *
 * - Parameter isCollapsed: whether what is in a mailbox is hidden.
 * - Parameter badgeOf: the number next to a mailbox.
 */
export function foldersOf(
  mailboxes: Mailbox[],
  isCollapsed: (id: string) => boolean = () => false,
  badgeOf: (mailbox: Mailbox) => number = badge,
): Folder[] {
  const folders: Folder[] = [];
  const children = byParent(mailboxes);
  const visit = (parent: string | null, depth: number, hiddenIn: Folder | null) => {
    for (const mailbox of children.get(parent) ?? []) {
      const folder = { mailbox, depth, hasChildren: children.has(mailbox.id), unread: badgeOf(mailbox) };
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
  for (const mailbox of [...mailboxes].sort(inOrder)) {
    const parent = mailbox.parentId && known.has(mailbox.parentId) ? mailbox.parentId : null;
    children.set(parent, [...children.get(parent) ?? [], mailbox]);
  }
  return children;
}

/** All mailboxes in it, those at the bottom last. */
export function inside(mailboxes: Mailbox[], id: Id): Mailbox[] {
  const found: Mailbox[] = [];
  for (let above = new Set([id]); above.size > 0;) {
    const next = mailboxes.filter((one) =>
      one.parentId !== null && above.has(one.parentId) && one.id !== id && !found.includes(one)
    );
    found.push(...next);
    above = new Set(next.map((one) => one.id));
  }
  return found;
}

/** The mailboxes above it, the topmost first. */
export function above(mailboxes: Mailbox[], { id, parentId }: Mailbox): Mailbox[] {
  const found: Mailbox[] = [];
  for (let next = parentId; next !== null && next !== id;) {
    const parent = mailboxes.find((one) => one.id === next);
    if (!parent || found.includes(parent)) break;
    found.unshift(parent);
    next = parent.parentId;
  }
  return found;
}

/** Whether the user has hidden it, or a mailbox that it is in. */
export function isHidden(mailboxes: Mailbox[], mailbox: Mailbox): boolean {
  return [mailbox, ...above(mailboxes, mailbox)].some(({ isSubscribed }) => !isSubscribed);
}

/** The user's own mailboxes in the same place, in the order in which they are shown. */
export function siblings(mailboxes: Mailbox[], { parentId }: Pick<Mailbox, "parentId">): Mailbox[] {
  return mailboxes.filter((one) => one.parentId === parentId && one.role === null).sort(inOrder);
}

/** New places in the order for a mailbox and those that it passes; none where it is at the end already. */
export function moved(
  mailboxes: Mailbox[],
  mailbox: Mailbox,
  by: 1 | -1,
): [Id, Pick<Mailbox, "sortOrder">][] {
  const all = siblings(mailboxes, mailbox);
  const shown = all.filter(({ isSubscribed, id }) => isSubscribed || id === mailbox.id);
  const at = shown.findIndex(({ id }) => id === mailbox.id);
  const [one, other] = [shown[at], shown[at + by]];
  if (!one || !other) return [];
  const order = all.filter(({ id }) => id !== one.id);
  order.splice(order.indexOf(other) + (by > 0 ? 1 : 0), 0, one);
  let last = -1;
  const places = all.map(({ sortOrder }) => last = Math.max(sortOrder, last + 1));
  return order.flatMap(({ id, sortOrder }, index): [Id, Pick<Mailbox, "sortOrder">][] => {
    const place = places[index] ?? sortOrder;
    return place === sortOrder ? [] : [[id, { sortOrder: place }]];
  });
}

function inOrder(left: Mailbox, right: Mailbox): number {
  return left.sortOrder - right.sortOrder || left.name.localeCompare(right.name);
}
