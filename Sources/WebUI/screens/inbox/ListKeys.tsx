import { useEffect, useState } from "react";
import { isStarred, type Target } from "../../store/actions.ts";
import { useApp } from "../../store/app.ts";
import type { ListState } from "../../store/listState.ts";
import { useObservable } from "../../store/observable.ts";
import { type Row, rowKey } from "../../store/rows.ts";
import { giveFocusBack } from "../../ui/focus.ts";
import { type Shortcut, useShortcuts } from "../../ui/shortcuts.ts";

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
  const isInTrash = state.scope.role === "trash" || state.scope.role === "junk";

  // An open conversation is what keys are for, wherever the cursor was.
  useEffect(() => {
    if (openKey === null) return;
    const row = state.list.row(state.list.indexOf(openKey));
    if (row && state.cursor !== openKey) state.setCursor(row);
  }, [openKey, state]);

  const [, again] = useState(0);
  function step(by: number): void {
    const row = state.move(by);
    if (row && openKey !== null) onOpen(row);
    // So that a screen reader says where the cursor is.
    giveFocusBack();
    again((count) => count + 1);
  }

  /** Does it, and goes on to the next conversation. */
  function take(work: (targets: Target[]) => void): void | false {
    const targets = state.targets();
    if (targets.length === 0) return false;
    const index = state.cursorIndex;
    const isOne = state.selected.size === 0;
    const wasOpen = openKey !== null && targets.some((target) => rowKey(target) === openKey);
    work(targets);
    state.clear();
    const next = state.list.row(Math.min(index, state.list.total - 1));
    state.movedByKey = true;
    if (next && (isOne || wasOpen)) state.setCursor(next);
    if (!wasOpen) return;
    if (next && rowKey(next) !== openKey) onOpen(next);
    else onBack();
  }

  const list: Shortcut[] = [
    { keys: ["j"], does: "Next conversation", run: () => step(1) },
    { keys: ["k"], does: "Previous conversation", run: () => step(-1) },
    { keys: ["ArrowDown"], run: (event) => isInList(event) ? step(1) : false },
    { keys: ["ArrowUp"], run: (event) => isInList(event) ? step(-1) : false },
    { keys: ["Home"], run: (event) => isInList(event) ? step(-state.list.total) : false },
    { keys: ["End"], run: (event) => isInList(event) ? step(state.list.total) : false },
    {
      keys: ["Enter", "o"],
      does: "Open conversation",
      run: (event) => {
        if (event.key === "Enter" && !isInList(event) && event.target !== document.body) return false;
        const row = state.cursorRow();
        if (row) onOpen(row);
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
    { keys: ["e"], does: "Archive", run: () => take((targets) => actions.archive(targets)) },
    {
      keys: ["#", "Delete"],
      does: "Delete",
      run: () => take((targets) => isInTrash ? actions.destroy(targets) : actions.trash(targets)),
    },
    { keys: ["!"], does: "Mark as spam", run: () => take((targets) => actions.junk(targets)) },
    {
      keys: ["v"],
      does: "Move to mailbox",
      run: () => {
        const targets = state.targets();
        if (targets.length === 0) return false;
        onMove(targets);
      },
    },
    {
      keys: ["s"],
      does: "Star, or remove star",
      run: () => {
        const targets = state.targets();
        actions.setFlagged(targets, !targets.every((target) => target.emails.some(isStarred)));
      },
    },
    { keys: ["Shift+I"], does: "Mark as read", run: () => actions.setSeen(state.targets(), true) },
    {
      keys: ["Shift+U"],
      does: "Mark as unread",
      run: () => {
        actions.setSeen(state.targets(), false);
        if (openKey !== null) onBack();
      },
    },
    {
      keys: ["x"],
      does: "Select conversation",
      run: () => {
        const row = state.cursorRow();
        if (row) state.toggle(row);
      },
    },
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
