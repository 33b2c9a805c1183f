import { useEffect, useRef, useState } from "react";
import type { Desk } from "../../actions/goOn.ts";
import type { ListSubject } from "../../actions/list.ts";
import { giveFocusBack } from "../../ui/focus.ts";

type Look = Parameters<ListSubject["look"]>[0];

/** Keys that only look. Where no row is chosen it is the first that is looked at. */
export function useLooks(desk: Desk): Pick<ListSubject, "look" | "step"> {
  const { state, openKey } = desk;
  const isComing = state.list.status === "loading" || state.list.status === "empty";
  const [, again] = useState(0);
  const step = (by: number) => {
    const row = state.move(by);
    if (row && openKey !== null) desk.open(row);
    // So that a screen reader says where the cursor is.
    giveFocusBack();
    again((count) => count + 1);
  };
  const chosen = () => state.cursorRow() ?? state.list.row(0);
  const looks: Record<Look, () => void> = {
    next: () => step(1),
    previous: () => step(-1),
    open: () => {
      const row = chosen();
      if (row) desk.open(row);
    },
    select: () => {
      const row = chosen();
      if (row) state.toggle(row);
    },
  };
  const waiting = useRef<{ state: typeof state; looks: Look[] }>({ state, looks: [] });
  useEffect(() => {
    if (isComing || waiting.current.state !== state) return;
    for (const what of waiting.current.looks.splice(0)) looks[what]();
  }, [isComing, state]);

  /** Now, or as soon as there are rows to look at. Keys for a list that was left before are forgotten. */
  const look = (what: Look) => {
    if (!isComing) return looks[what]();
    if (waiting.current.state !== state) waiting.current = { state, looks: [] };
    waiting.current.looks.push(what);
  };
  return { look, step };
}
