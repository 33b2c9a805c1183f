import { useLayoutEffect, useRef } from "react";
import { Observable } from "./observable.ts";

export interface Shortcut {
  /**
   * `j`, `Shift+U`, `Mod+Enter`, `Escape`; `Mod` is Ctrl, and ⌘ on a Mac. `g i` is one key after the other. All
   * of them do the same.
   */
  keys: string[];
  /** In the help sheet: “Next conversation”. Nothing: it is not listed. */
  does?: string;
  /** Also works while the user is typing in a field. */
  whileWriting?: boolean;
  /** The next typed characters go into a field that may not exist yet. */
  opensField?: boolean;
  /** Returns false to let the key have its default effect. */
  run: (event: KeyboardEvent) => void | false;
}

export interface ShortcutGroup {
  title: string;
  shortcuts: Shortcut[];
}

const isMac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform ?? "");

/** Older early keys are discarded. */
const PATIENCE = 10_000;

/** The second key of two follows within this time. */
const SEQUENCE = 1500;

/** The current shortcuts. The last one added comes first. */
export class Shortcuts extends Observable {
  groups: ShortcutGroup[] = [];
  /** Keys pressed before the first screen was ready. Null from then on. */
  #early: KeyboardEvent[] | null = [];
  /** The first key of two. */
  #first: { key: string; at: number } | null = null;

  readonly handle = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) return;
    if (this.#early !== null && canWait(event) && !isWriting(event.target)) this.#early.push(event);
    else this.#take(event);
  };

  /** The first screen is ready: handles earlier keys. Later calls do nothing. */
  begin(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const event of early) {
      if (performance.now() - event.timeStamp > PATIENCE) continue;
      // What follows was meant for a field.
      if (this.#take(event)?.opensField) return;
    }
  }

  #take(event: KeyboardEvent): Shortcut | null {
    if (/^(Shift|Control|Alt|Meta)$/.test(event.key)) return null;
    const first = this.#first;
    this.#first = null;
    const isSecond = first !== null && event.timeStamp - first.at < SEQUENCE;
    const pressed = isSecond ? `${first.key} ${name(event)}` : name(event);
    const writes = isWriting(event.target);
    if (!writes && !isSecond && this.#begins(pressed)) {
      this.#first = { key: pressed, at: event.timeStamp };
      event.preventDefault();
      return null;
    }
    for (const group of [...this.groups].reverse()) {
      for (const shortcut of group.shortcuts) {
        if (!shortcut.keys.includes(pressed) || (writes && !shortcut.whileWriting)) continue;
        if (shortcut.run(event) === false) continue;
        event.preventDefault();
        return shortcut;
      }
    }
    return null;
  }

  /** Whether another key follows this one. */
  #begins(pressed: string): boolean {
    return this.groups.some(({ shortcuts }) =>
      shortcuts.some(({ keys }) => keys.some((key) => key.startsWith(`${pressed} `)))
    );
  }

  add(group: ShortcutGroup): () => void {
    this.groups = [...this.groups, group];
    this.changed();
    return () => {
      this.groups = this.groups.filter((other) => other !== group);
      this.changed();
    };
  }
}

/** The shortcuts hold while the component is shown. */
export function useShortcuts(shortcuts: Shortcuts, title: string, list: Shortcut[], isOn = true): void {
  const newest = useRef(list);
  newest.current = list;
  const shape = list.map((shortcut) => shortcut.keys.join(" ") + shortcut.does).join("\n");
  // Before the screen is painted: a key works as soon as what it belongs to is seen.
  useLayoutEffect(() => {
    if (!isOn) return;
    return shortcuts.add({
      title,
      shortcuts: newest.current.map((shortcut, index) => ({
        ...shortcut,
        run: (event) => newest.current[index]?.run(event) ?? undefined,
      })),
    });
  }, [shortcuts, title, shape, isOn]);
}

/** A key as `Shortcut.keys` has it. Signs that need Shift on some keyboards, such as `#`, stand alone. */
export function name(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">,
): string {
  const { key } = event;
  const isLetter = /^\p{L}$/u.test(key);
  const parts: string[] = [];
  if (isMac ? event.metaKey : event.ctrlKey) parts.push("Mod");
  if (isMac ? event.ctrlKey : event.metaKey) parts.push("Meta");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey && (isLetter || key.length > 1)) parts.push("Shift");
  parts.push(isLetter ? (parts.length > 0 ? key.toUpperCase() : key.toLowerCase()) : key);
  return parts.join("+");
}

/** A key as a person reads it. */
export function shown(keys: string): string {
  const signs: Record<string, string> = {
    Mod: isMac ? "⌘" : "Ctrl",
    ArrowDown: "↓",
    ArrowUp: "↑",
    " ": "Space",
  };
  if (keys.length > 1 && keys.includes(" ")) return keys.split(" ").map(shown).join(" then ");
  return keys.split(/\+(?=.)/).map((part) => signs[part] ?? part).join(isMac ? " " : " + ");
}

/** The time of the key press on the page's clock: a frame has its own. */
export function pressedAt({ timeStamp, view }: KeyboardEvent): number {
  return timeStamp + (view?.performance.timeOrigin ?? performance.timeOrigin) - performance.timeOrigin;
}

/** A letter or sign alone, or Enter on nothing, which a browser does nothing with by itself. */
function canWait({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isAlone = !ctrlKey && !metaKey && !altKey;
  return isAlone && (key.length === 1 && key !== " " || key === "Enter" && target === document.body);
}

/** In a field, or next to one, where letters must not act on the mail behind it. */
function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("[data-writing]")) return true;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|range)$/.test(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement ||
    target.isContentEditable;
}
