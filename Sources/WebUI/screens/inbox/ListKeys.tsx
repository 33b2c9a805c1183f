import { useEffect } from "react";
import { CONVERSATIONS } from "../../actions/conversation.ts";
import type { Desk } from "../../actions/goOn.ts";
import { useCommands } from "../../actions/commands.ts";
import { LIST, SELECTION } from "../../actions/list.ts";
import { commands, shortcuts } from "../../actions/offers.ts";
import { useObservable } from "../../base/observable.ts";
import { pressedAt, useShortcuts } from "../../base/shortcuts.ts";
import { type App, useApp } from "../../store/app.ts";
import type { Target } from "../../store/target.ts";
import { counted, subjectOf } from "../../store/words.ts";
import { useLooks } from "./useLooks.ts";

/** The keys of a list. They hold while a conversation is open as well, even where it is in the list's place. */
export function ListKeys({ desk }: { desk: Desk }) {
  const app = useApp();
  const { state, openKey } = desk;
  useObservable(state);
  useObservable(state.list);
  const { look, step } = useLooks(desk);

  // An open conversation is what keys are for, wherever the cursor was.
  const { status } = state.list;
  useEffect(() => {
    if (openKey === null) return;
    const row = state.list.row(state.list.indexOf(openKey));
    if (row && state.cursor !== openKey) state.setCursor(row);
  }, [openKey, state, status]);

  const ofList = shortcuts(LIST, (event) => ({ app, desk, targets: [], event, look, step }));
  const ofMail = shortcuts(CONVERSATIONS, (event) => {
    const targets = chosen(app, desk, event);
    return targets.length > 0 ? { app, desk, targets, all: state.all } : null;
  });
  useShortcuts(app.shortcuts, "Mail", [...ofList, ...ofMail]);
  useCommands(app, () => {
    const targets = known(desk);
    const subject = { app, desk, targets, all: state.all, isSelection: state.selected.size > 0 };
    const about = aboutWhat(desk, targets);
    return [
      ...(targets.length > 0 ? commands(CONVERSATIONS, subject).map((one) => ({ ...one, about })) : []),
      ...commands(SELECTION, subject),
    ];
  });
  return null;
}

/** What is selected, else the open conversation, else the one under the cursor. */
function known({ state, openKey }: Desk): Target[] {
  const targets = openKey === null || state.selected.size > 0 ? state.targets() : [state.open(openKey)];
  return targets.filter(({ emails }) => emails.length > 0);
}

/** What commands are for, in words: before a letter is typed, Enter would archive it. */
function aboutWhat({ state }: Desk, targets: Target[]): string {
  const [only, ...others] = targets;
  if (state.all || others.length > 0) {
    return counted(state.all ? state.list.total : targets.length, "conversation");
  }
  const [first] = only?.emails ?? [];
  return first ? `“${subjectOf(first)}”` : "";
}

/** The target of a key that changes something: never a row that was not visible when the key was pressed. */
function chosen({ toasts }: App, desk: Desk, event: KeyboardEvent): Target[] {
  const { state } = desk;
  const say = (text: string) => {
    if (!toasts.list.some((toast) => toast.text === text)) toasts.show(text);
  };
  if (pressedAt(event) < state.seenAt) {
    say("Nothing was done, because your mail was still loading when you pressed the key.");
    return [];
  }
  const targets = known(desk);
  if (targets.length === 0 && state.list.total > 0) {
    say("Choose a conversation first. Press j for the next one.");
  }
  return targets;
}
