import { type RefObject, useLayoutEffect, useRef } from "react";
import { giveFocusBack } from "./focus.ts";

const CONTROLS =
  "button:not(:disabled), input:not(:disabled), select:not(:disabled), a[href], [tabindex='0']";

/**
 * For a row that can be removed: if it is while it has the focus, the focus goes to the same control of the next row of
 * its list, else to what has `data-list-head` with the name of the list.
 */
export function useRowFocus<T extends HTMLElement>(
  list: string | undefined,
): { ref: RefObject<T>; "data-list": string | undefined } {
  const ref = useRef<T>(null);
  useLayoutEffect(() => {
    const row = ref.current;
    // React calls this before it takes the row out of the page.
    return () => {
      if (row && list !== undefined) passFocusOn(row, list);
    };
  }, [list]);
  return { ref, "data-list": list };
}

function passFocusOn(row: HTMLElement, list: string): void {
  const focused = document.activeElement;
  if (!row.isConnected || !row.contains(focused)) return;
  const own = controlsOf(row);
  // Counted from the end, where the buttons are: what is before them differs from row to row.
  const fromEnd = own.length - own.findIndex((control) => control === focused);
  const later = [...document.querySelectorAll<HTMLElement>(`[data-list="${CSS.escape(list)}"]`)]
    .filter((other) => row.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  // After the row is gone.
  setTimeout(() => {
    const now = document.activeElement;
    if (now !== null && now !== document.body) return;
    const next = later.find((other) => other.isConnected);
    const head = document.querySelector<HTMLElement>(`[data-list-head="${CSS.escape(list)}"]`);
    const controls = next ? controlsOf(next) : [];
    const target = controls.at(-fromEnd) ?? controls.at(-1) ?? (head && controlsOf(head)[0]);
    if (target) target.focus();
    else giveFocusBack();
  });
}

function controlsOf(element: HTMLElement): HTMLElement[] {
  return element.matches(CONTROLS) ? [element] : [...element.querySelectorAll<HTMLElement>(CONTROLS)];
}
