import { areApart } from "../store/prospects.ts";
import type { Action, Subject } from "./action.ts";
import { isMixed, isPartial } from "./partial.ts";

function areMuted(subject: Subject): boolean {
  return !isPartial(subject) &&
    subject.targets.every(({ emails }) => emails.some(({ keywords }) => keywords["$muted"]));
}

function areJunk(subject: Subject): boolean {
  return !isMixed(subject) && areApart(subject.app, subject.targets, "junk");
}

/** Actions that say what mail is. */
export const JUDGING: Action[] = [
  {
    id: "spam",
    label: (subject) => areJunk(subject) ? "Not spam" : "Mark as spam",
    title: "Mark as spam, or as not spam",
    icon: (subject) => areJunk(subject) ? "inbox" : "spam",
    keys: ["!"],
    places: ["toolbar", "bar", "menu", "barMenu", "rowMenu"],
    // In Spam it is what the user came for.
    applies: (subject, place) =>
      ["rowMenu", "palette"].includes(place) ||
      ["menu", "barMenu"].includes(place) !== areJunk(subject),
    change: (subject) => ({ verb: areJunk(subject) ? "notSpam" : "spam" }),
    next: "next",
  },
  {
    id: "notSpam",
    label: "Not spam",
    title: "",
    icon: "inbox",
    places: ["barMenu", "rowMenu"],
    applies: isMixed,
    change: () => ({ verb: "notSpam" }),
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
  {
    id: "unmute",
    label: "Unmute",
    title: "",
    icon: "mute",
    places: ["barMenu", "rowMenu"],
    applies: isPartial,
    change: () => ({ verb: "unmute" }),
    next: "next",
  },
];
