import { isStarred, isUnread } from "../store/target.ts";
import type { Action, Place, Subject } from "./action.ts";
import { isPartial } from "./partial.ts";

/** Where there is room for one of two opposite actions, it is the one that changes something. */
const ONE_OF_TWO: Place[] = ["bar", "row", "rowMenu", "messageMenu", "palette"];

function mayHaveUnread(subject: Subject): boolean {
  return isPartial(subject) || subject.targets.some(({ emails }) => emails.some(isUnread));
}

function mayHaveRead(subject: Subject): boolean {
  return isPartial(subject) || !mayHaveUnread(subject);
}

function areStarred(subject: Subject): boolean {
  return !isPartial(subject) && subject.targets.every(({ emails }) => emails.some(isStarred));
}

const starring = {
  id: "star",
  icon: "star",
  isOn: areStarred,
  change: (subject: Subject) => ({
    verb: areStarred(subject) ? "unstar" as const : "star" as const,
    isPart: subject.isPart,
  }),
} satisfies Partial<Action>;

/** Actions that mark conversations and messages as read. */
export const READING: Action[] = [
  {
    id: "unread",
    label: "Mark as unread",
    icon: "mail",
    keys: ["Shift+U"],
    places: ["menu", "barMenu", ...ONE_OF_TWO],
    applies: (subject, place) => !ONE_OF_TWO.includes(place) || mayHaveRead(subject),
    change: ({ isPart }) => ({ verb: "unread", isPart }),
    next: "list",
  },
  {
    id: "read",
    label: "Mark as read",
    icon: "mailOpen",
    keys: ["Shift+I"],
    places: ["menu", "barMenu", ...ONE_OF_TWO],
    applies: (subject, place) => !ONE_OF_TWO.includes(place) || mayHaveUnread(subject),
    isIdle: (subject) => !mayHaveUnread(subject),
    change: ({ isPart }) => ({ verb: "read", isPart }),
  },
];

/** Actions that mark conversations. */
export const MARKING: Action[] = [
  ...READING,
  {
    ...starring,
    label: (subject) => areStarred(subject) ? "Remove star" : "Star",
    title: "Star, or remove star",
    keys: ["s"],
    places: ["toolbar", "bar", "rowMark", "rowMenu"],
  },
  {
    id: "unstar",
    label: "Remove star",
    title: "",
    icon: "star",
    places: ["barMenu", "rowMenu"],
    // Where “Star” cannot be the one or the other.
    applies: isPartial,
    change: () => ({ verb: "unstar" }),
  },
];

/** The star of one message. */
export const STAR_MESSAGE: Action = {
  ...starring,
  label: (subject, place) =>
    !areStarred(subject)
      ? "Star this message"
      : place === "messageMenu"
      ? "Remove star"
      : "Remove star from this message",
  places: ["message", "messageMenu"],
};
