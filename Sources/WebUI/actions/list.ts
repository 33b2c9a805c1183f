import type { App } from "../store/app.ts";
import type { Action, Subject } from "./action.ts";
import { counted } from "../store/words.ts";
import type { Desk } from "./goOn.ts";

/** A list with the keys that move through it. */
export interface ListSubject extends Subject {
  desk: Desk;
  event: KeyboardEvent;
  /** Looks at a row, now or as soon as there are any. */
  look: (what: "next" | "previous" | "open" | "select") => void;
  /** Moves the cursor by so many rows. */
  step: (by: number) => void;
}

/** Keys that browsers and fields have a use for are the list's only inside of it. */
function inList(run: (subject: ListSubject) => void): (subject: ListSubject) => void | false {
  return (subject) => isInList(subject.event) ? run(subject) : false;
}

function isInList({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.getAttribute("role") === "listbox";
}

const STEPPING: Action<ListSubject>[] = [
  { id: "next", label: "Next conversation", keys: ["j"], run: ({ look }) => look("next") },
  { id: "previous", label: "Previous conversation", keys: ["k"], run: ({ look }) => look("previous") },
  { id: "down", label: "", keys: ["ArrowDown"], run: inList(({ look }) => look("next")) },
  { id: "up", label: "", keys: ["ArrowUp"], run: inList(({ look }) => look("previous")) },
  { id: "first", label: "", keys: ["Home"], run: inList(({ step, desk }) => step(-desk.state.list.total)) },
  { id: "last", label: "", keys: ["End"], run: inList(({ step, desk }) => step(desk.state.list.total)) },
  {
    id: "open",
    label: "Open conversation",
    keys: ["Enter", "o"],
    run: ({ look, event }) => {
      if (event.key === "Enter" && !isInList(event) && event.target !== document.body) return false;
      look("open");
    },
  },
  {
    id: "back",
    label: "Back to the list, or clear the selection",
    keys: ["u", "Escape"],
    run: ({ desk }) => {
      if (desk.state.selected.size > 0) desk.state.clear();
      else if (desk.openKey !== null) desk.back();
      else return false;
    },
  },
];

/** What ends a selection, and extends it to what is not loaded. */
export const SELECTION: Action[] = [
  {
    id: "clear",
    label: "Clear selection",
    title: "",
    icon: "close",
    hint: "Escape",
    places: ["selection"],
    applies: ({ desk }) => (desk?.state.selected.size ?? 0) > 0,
    run: ({ desk }) => desk?.state.clear(),
  },
  {
    id: "selectEvery",
    label: ({ desk }) => `Select all ${counted(desk?.state.list.total ?? 0, "conversation")}`,
    icon: "selectAll",
    places: ["bar"],
    applies: ({ desk, all }) =>
      !all && desk !== undefined && desk.state.selected.size < desk.state.list.total,
    run: ({ desk }) => desk?.state.selectAll(),
  },
];

/** What closes an open conversation. */
export const LEAVING: Action[] = [{
  id: "leave",
  label: ({ desk }) => desk?.isNarrow ? "Back to the list" : "Close conversation",
  icon: ({ desk }) => desk?.isNarrow ? "back" : "close",
  hint: "u",
  places: ["back"],
  run: ({ desk }) => desk?.back(),
}];

const SELECTING: Action<ListSubject>[] = [
  { id: "select", label: "Select conversation", keys: ["x"], run: ({ look }) => look("select") },
  {
    id: "selectAll",
    label: "Select all conversations of the list",
    keys: ["Mod+A"],
    run: inList(({ desk }) => desk.state.selectAll()),
  },
];

/** Actions on a list that need no row of it. */
export const CORRECTING: Action[] = [
  {
    id: "undo",
    label: "Undo the last action",
    icon: "undo",
    keys: ["z", "Mod+Z"],
    run: ({ app }) => undo(app),
  },
  {
    id: "refresh",
    label: "Refresh",
    icon: "refresh",
    keys: ["Shift+N"],
    places: ["header"],
    run: ({ app }) => void app.refresh(),
  },
];

/** What a toast offers to undo comes first: it may be a message that is not sent yet. */
function undo({ toasts, actions }: App): void {
  const toast = [...toasts.list].reverse().find((toast) => toast.action?.label === "Undo");
  if (toast) toasts.act(toast.id);
  else actions.undoLast();
}

/** All actions of a list that have keys. */
export const LIST: Action<ListSubject>[] = [...STEPPING, ...SELECTING, ...CORRECTING];
