import type { Filter } from "../jmap/types.ts";

/** The filter for a typed search, which the program understands; null for an empty one. */
export function searchFilter(text: string): Filter | null {
  return text.trim() === "" ? null : { search: text };
}

/** The same words without filters: as a phrase. */
export function asWords(text: string): string {
  return `"${text.replaceAll('"', "").replace(/\s+/g, " ").trim()}"`;
}
