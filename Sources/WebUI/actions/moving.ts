import { areApart } from "../store/prospects.ts";
import type { Action, Subject } from "./action.ts";
import { isMixed } from "./partial.ts";

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
    id: "snooze",
    label: "Snooze",
    icon: "clock",
    keys: ["b"],
    places: ["toolbar", "bar", "rowMenu"],
    run: (subject) => subject.desk?.choose({ ...subject, verb: "snooze" }),
  },
  {
    id: "unsnooze",
    label: "Unsnooze",
    icon: "inbox",
    places: ["toolbar", "bar", "rowMenu"],
    applies: areSnoozed,
    change: () => ({ verb: "unsnooze" }),
    next: "next",
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

function areSnoozed(subject: Subject): boolean {
  const { app, targets } = subject;
  if (isMixed(subject)) return true;
  return targets.length > 0 && targets.every(({ accountId, emails }) => {
    const place = app.account(accountId)?.mailboxes.list.find(({ role }) => role === "snoozed");
    return place !== undefined && emails.some(({ mailboxIds }) => mailboxIds[place.id]);
  });
}

/** Mailboxes of other accounts are folders. */
function haveLabels({ app, targets, all }: Subject): boolean {
  if (all) return all.sources.some(({ accountId }) => app.account(accountId)?.hasLabels);
  return targets.every(({ accountId }) => app.account(accountId)?.hasLabels);
}
