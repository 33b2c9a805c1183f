import type { Action } from "./action.ts";

/** Actions that say what mail is. */
export const JUDGING: Action[] = [
  {
    id: "spam",
    label: "Mark as spam",
    icon: "spam",
    keys: ["!"],
    places: ["menu", "rowMenu"],
    change: () => ({ verb: "spam" }),
    next: "next",
  },
];
