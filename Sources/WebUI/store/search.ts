import type { Filter, MailboxRole } from "../jmap/types.ts";

/** The filter for a typed search, which the program understands; null for an empty one. */
export function searchFilter(text: string): Filter | null {
  return text.trim() === "" ? null : { search: text };
}

/** The same words without filters: as a phrase. */
export function asWords(text: string): string {
  return `"${text.replaceAll('"', "").replace(/\s+/g, " ").trim()}"`;
}

/** The operators for folders that have a kind. */
const PLACES: Partial<Record<MailboxRole, string>> = {
  inbox: "in:inbox",
  flagged: "is:starred",
  snoozed: "in:snoozed",
  drafts: "in:drafts",
  sent: "in:sent",
  archive: "in:archive",
  junk: "in:spam",
  trash: "in:trash",
};

/** A search in one folder as a search everywhere: `roof in:inbox`. */
export function limitedTo(text: string, role: MailboxRole | null, path: string): string {
  const place = (role && PLACES[role]) ?? `in:"${path.replaceAll('"', "")}"`;
  return `${text.trim()} ${place}`.trim();
}
