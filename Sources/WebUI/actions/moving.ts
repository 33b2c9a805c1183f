import { isForGood } from "../store/prospects.ts";
import type { Action } from "./action.ts";

/** Actions that take conversations somewhere else. */
export const MOVING: Action[] = [
  {
    id: "archive",
    label: "Archive",
    icon: "archive",
    keys: ["e"],
    places: ["toolbar", "bar", "row", "rowMenu", "swipeRight"],
    applies: ({ desk }) => desk?.state.scope.role !== "archive",
    change: () => ({ verb: "archive" }),
    next: "next",
  },
  {
    id: "delete",
    label: ({ app, targets }) => isForGood(app, targets) ? "Delete permanently" : "Delete",
    title: "Delete",
    icon: "trash",
    keys: ["#", "Delete"],
    places: ["toolbar", "bar", "row", "rowMenu", "swipeLeft"],
    change: () => ({ verb: "delete" }),
    next: "next",
  },
  {
    id: "move",
    label: "Move to mailbox",
    icon: "move",
    keys: ["v"],
    places: ["toolbar", "bar", "rowMenu"],
    run: ({ desk, targets }) => desk?.move(targets),
  },
];
