import { areApart } from "../store/prospects.ts";
import type { Action, Subject } from "./action.ts";

function areMuted({ targets }: Subject): boolean {
  return targets.every(({ emails }) => emails.some(({ keywords }) => keywords["$muted"]));
}

/** Actions that say what mail is. */
export const JUDGING: Action[] = [
  {
    id: "spam",
    label: ({ app, targets }) => areApart(app, targets, "junk") ? "Not spam" : "Mark as spam",
    title: "Mark as spam, or as not spam",
    icon: ({ app, targets }) => areApart(app, targets, "junk") ? "inbox" : "spam",
    keys: ["!"],
    places: ["toolbar", "bar", "menu", "barMenu", "rowMenu"],
    // In Spam it is what the user came for.
    applies: ({ app, targets }, place) =>
      ["rowMenu", "palette"].includes(place) ||
      ["menu", "barMenu"].includes(place) !== areApart(app, targets, "junk"),
    change: ({ app, targets }) => ({ verb: areApart(app, targets, "junk") ? "notSpam" : "spam" }),
    next: "next",
  },
  {
    id: "mute",
    label: (subject) => areMuted(subject) ? "Unmute" : "Mute",
    title: "Mute, or unmute",
    icon: "mute",
    keys: ["m"],
    places: ["menu", "barMenu", "rowMenu"],
    change: (subject) => ({ verb: areMuted(subject) ? "unmute" : "mute" }),
    next: "next",
  },
];
