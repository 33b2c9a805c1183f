import { useEffect, useRef, useState } from "react";
import { isStarred, type Target } from "../../store/target.ts";
import { useApp } from "../../store/app.ts";
import type { ListState } from "../../store/listState.ts";
import { useObservable } from "../../base/observable.ts";
import type { Row } from "../../store/rows.ts";
import { giveFocusBack } from "../../ui/focus.ts";
import { pressedAt, type Shortcut, useShortcuts } from "../../base/shortcuts.ts";
import { goOn, type Work } from "../../actions/goOn.ts";

interface ListKeysProps {
  state: ListState;
  openKey: string | null;
  onOpen: (row: Row) => void;
  onBack: () => void;
  onMove: (targets: Target[]) => void;
}

/** The keys of a list. They hold while a conversation is open as well, even where it is in the list's place. */
export function ListKeys({ state, openKey, onOpen, onBack, onMove }: ListKeysProps) {
  const app = useApp();
  useObservable(state);
  useObservable(state.list);
  const { actions, shortcuts, toasts } = app;
  const isComing = state.list.status === "loading" || state.list.status === "empty";

  // An open conversation is what keys are for, wherever the cursor was.
  useEffect(() => {
    if (openKey === null) return;
    const row = state.list.row(state.list.indexOf(openKey));
    if (row && state.cursor !== openKey) state.setCursor(row);
  }, [openKey, state, isComing]);

  const [, again] = useState(0);
  function step(by: number): void {
    const row = state.move(by);
    if (row && openKey !== null) onOpen(row);
    // So that a screen reader says where the cursor is.
    giveFocusBack();
    again((count) => count + 1);
  }
  /** What only looks; where no row is chosen it is the first that is looked at. */
  const looks = {
    next: () => step(1),
    previous: () => step(-1),
    open: () => {
      const row = state.cursorRow() ?? state.list.row(0);
      if (row) onOpen(row);
    },
    select: () => {
      const row = state.cursorRow() ?? state.list.row(0);
      if (row) state.toggle(row);
    },
  };
  const waiting = useRef<{ state: ListState; looks: (keyof typeof looks)[] }>({ state, looks: [] });
  /** Now, or as soon as there are rows to look at. Keys for a list that was left before are forgotten. */
  function look(what: keyof typeof looks): void {
    if (!isComing) return looks[what]();
    if (waiting.current.state !== state) waiting.current = { state, looks: [] };
    waiting.current.looks.push(what);
  }
  useEffect(() => {
    if (isComing || waiting.current.state !== state) return;
    for (const what of waiting.current.looks.splice(0)) looks[what]();
  }, [isComing, state]);

  /** What a key that changes something is for. Never what nobody had seen when it was pressed. */
  function chosen(event: KeyboardEvent): Target[] {
    if (pressedAt(event) < state.seenAt) {
      say("Nothing was done: your mail was not there yet when you pressed the key.");
      return [];
    }
    const targets = openKey === null || state.selected.size > 0 ? state.targets() : [state.open(openKey)];
    const known = targets.filter(({ emails }) => emails.length > 0);
    if (known.length === 0 && state.list.total > 0) {
      say("Choose a conversation first: j goes to the next one.");
    }
    return known;
  }
  function say(text: string): void {
    if (!toasts.list.some((toast) => toast.text === text)) toasts.show(text);
  }

  const take = (work: Work) => (event: KeyboardEvent): void => {
    const targets = chosen(event);
    if (targets.length > 0) goOn({ state, openKey, onOpen, onBack }, targets, work);
  };

  const list: Shortcut[] = [
    { keys: ["j"], does: "Next conversation", run: () => look("next") },
    { keys: ["k"], does: "Previous conversation", run: () => look("previous") },
    { keys: ["ArrowDown"], run: (event) => isInList(event) ? look("next") : false },
    { keys: ["ArrowUp"], run: (event) => isInList(event) ? look("previous") : false },
    { keys: ["Home"], run: (event) => isInList(event) ? step(-state.list.total) : false },
    { keys: ["End"], run: (event) => isInList(event) ? step(state.list.total) : false },
    {
      keys: ["Enter", "o"],
      does: "Open conversation",
      run: (event) => {
        if (event.key === "Enter" && !isInList(event) && event.target !== document.body) return false;
        look("open");
      },
    },
    {
      keys: ["u", "Escape"],
      does: "Back to the list, or clear the selection",
      run: () => {
        if (state.selected.size > 0) state.clear();
        else if (openKey !== null) onBack();
        else return false;
      },
    },
    { keys: ["e"], does: "Archive", run: take((targets) => actions.archive(targets)) },
    {
      keys: ["#", "Delete"],
      does: "Delete",
      run: take((targets) => actions.delete(targets)),
    },
    { keys: ["!"], does: "Mark as spam", run: take((targets) => actions.junk(targets)) },
    {
      keys: ["v"],
      does: "Move to mailbox",
      run: (event) => {
        const targets = chosen(event);
        if (targets.length > 0) onMove(targets);
      },
    },
    {
      keys: ["s"],
      does: "Star, or remove star",
      run: (event) => {
        const targets = chosen(event);
        actions.setFlagged(targets, !targets.every((target) => target.emails.some(isStarred)));
      },
    },
    { keys: ["Shift+I"], does: "Mark as read", run: (event) => actions.setSeen(chosen(event), true) },
    {
      keys: ["Shift+U"],
      does: "Mark as unread",
      run: (event) => {
        actions.setSeen(chosen(event), false);
        if (openKey !== null) onBack();
      },
    },
    { keys: ["x"], does: "Select conversation", run: () => look("select") },
    {
      keys: ["Mod+A"],
      does: "Select all that is loaded",
      run: (event) => isInList(event) ? state.selectKnown() : false,
    },
    {
      keys: ["z"],
      does: "Undo the last action",
      run: () => {
        const toast = [...toasts.list].reverse().find((toast) => toast.action?.label === "Undo");
        if (!toast) return false;
        toasts.act(toast.id);
      },
    },
    { keys: ["Shift+N"], does: "Refresh", run: () => void app.refresh() },
  ];
  useShortcuts(shortcuts, "Mail", list);
  return null;
}

function isInList(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLElement && event.target.getAttribute("role") === "listbox";
}
