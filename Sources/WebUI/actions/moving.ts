import { areApart } from "../store/prospects.ts";
import type { Action, Subject } from "./action.ts";

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
    label: ({ app, targets }) => areApart(app, targets) ? "Delete permanently" : "Delete",
    title: "Delete",
    icon: "trash",
    keys: ["#", "Delete"],
    places: ["toolbar", "bar", "row", "rowMenu", "swipeLeft"],
    change: ({ app, targets }) => ({ verb: areApart(app, targets) ? "destroy" : "trash" }),
    next: "next",
  },
  {
    id: "move",
    label: "Move to folder",
    icon: "move",
    keys: ["v"],
    places: ["toolbar", "bar", "rowMenu"],
    run: (subject) => subject.desk?.choose({ ...subject, verb: "move" }),
  },
  {
    id: "label",
    label: "Label",
    icon: "tag",
    keys: ["l"],
    places: ["menu", "barMenu", "rowMenu"],
    applies: haveLabels,
    run: (subject) => haveLabels(subject) ? subject.desk?.choose({ ...subject, verb: "label" }) : false,
  },
];

/** Mailboxes of other accounts are folders. */
function haveLabels({ app, targets }: Subject): boolean {
  return targets.every(({ accountId }) => app.account(accountId)?.hasLabels);
}
