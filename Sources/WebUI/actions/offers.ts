import type { Shortcut } from "../base/shortcuts.ts";
import { shown } from "../base/shortcuts.ts";
import { refusal } from "../store/prospects.ts";
import type { IconName } from "../ui/Icon.tsx";
import type { MenuItem } from "../ui/Menu.tsx";
import type { Action, Place, Subject } from "./action.ts";
import { goOn } from "./goOn.ts";

/** An action for one subject in one place, ready to be shown. */
export interface Offer {
  id: string;
  label: string;
  icon: IconName | undefined;
  hint: string | undefined;
  isOn: boolean | undefined;
  isIdle: boolean;
  /** Why it cannot be done. */
  problem: string | null;
  /** What it is done to, where that is not on the screen beside it. */
  about?: string;
  run: () => void;
}

/** The actions that a place offers, in the order in which they are given. */
export function offers<S extends Subject>(actions: Action<S>[], subject: S, place: Place): Offer[] {
  return actions
    .filter(({ places, applies }) => places?.includes(place) && (applies?.(subject, place) ?? true))
    .map((action) => offer(action, subject, place));
}

/** All that can be done now and has a name, for the command palette. */
export function commands<S extends Subject>(actions: Action<S>[], subject: S): Offer[] {
  return actions
    .filter((action) => labelOf(action, subject, "palette") !== "")
    .filter(({ applies, isIdle }) => (applies?.(subject, "palette") ?? true) && !isIdle?.(subject))
    .map((action) => offer(action, subject, "palette"));
}

function offer<S extends Subject>(action: Action<S>, subject: S, place: Place): Offer {
  return {
    id: action.id,
    label: labelOf(action, subject, place),
    icon: typeof action.icon === "function" ? action.icon(subject) : action.icon,
    hint: action.hint ?? (action.keys?.[0] && shown(action.keys[0])),
    isOn: action.isOn?.(subject),
    isIdle: action.isIdle?.(subject) ?? false,
    problem: "change" in action
      ? refusal(subject.app, action.change(subject), subject.targets, subject.all)
      : action.problem?.(subject) ?? null,
    run: () => void take(action, subject, place),
  };
}

/** The action with this name. */
export function takeNamed<S extends Subject>(
  actions: Action<S>[],
  id: string | undefined,
  subject: S,
  place: Place,
): void {
  const action = actions.find((action) => action.id === id);
  if (action) take(action, subject, place);
}

/** The name of a place's only action, such as a swipe to one side. */
export function nameIn<S extends Subject>(actions: Action<S>[], place: Place): string {
  return actions.find(({ places }) => places?.includes(place))?.id ?? "";
}

/** What keys do leads to the next conversation, also on a phone. */
const BY_KEY: (Place | "keys")[] = ["keys", "palette"];

/** Performs the action, and shows what comes next. */
export function take<S extends Subject>(action: Action<S>, subject: S, place: Place | "keys"): void | false {
  if ("run" in action) return action.run(subject);
  const { app, desk, targets, all = null, isSelection = false } = subject;
  const work = (targets: S["targets"]) =>
    app.actions.perform(action.change({ ...subject, targets }), targets, all);
  const isRow = place.startsWith("row") || place.startsWith("swipe");
  // An action on a row does not affect what is open.
  if (!desk || isRow && !isSelection) work(targets);
  else if (action.next === "next") {
    goOn(desk, targets, work, desk.isNarrow && !BY_KEY.includes(place) && !isSelection);
  } else {
    work(targets);
    if (isSelection) desk.state.clear();
    else if (action.next === "list" && desk.openKey !== null) desk.back();
  }
}

export function menuItems<S extends Subject>(actions: Action<S>[], subject: S, place: Place): MenuItem[] {
  return offers(actions, subject, place).map(({ label, icon, hint, isIdle, problem, run }) => ({
    label,
    ...(icon ? { icon } : {}),
    ...(hint ? { hint } : {}),
    isDisabled: isIdle,
    problem,
    run,
  }));
}

/** The keys of actions. Nothing is done where there is no subject for the key. */
export function shortcuts<S extends Subject>(
  actions: Action<S>[],
  subjectOf: (event: KeyboardEvent) => S | null,
): Shortcut[] {
  return actions.flatMap((action): Shortcut[] => {
    const title = action.title ?? (typeof action.label === "string" ? action.label : "");
    if (!action.keys) return [];
    const run = (event: KeyboardEvent) => {
      const subject = subjectOf(event);
      return subject ? take(action, subject, "keys") : undefined;
    };
    const { keys, opensField = false, whileWriting = false } = action;
    return [{ keys, opensField, whileWriting, ...(title ? { does: title } : {}), run }];
  });
}

function labelOf<S extends Subject>({ label }: Action<S>, subject: S, place: Place): string {
  return typeof label === "string" ? label : label(subject, place);
}
