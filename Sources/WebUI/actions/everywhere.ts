import type { Action, Subject } from "./action.ts";

/** The actions that a screen offers regardless of its content. */
export interface ScreenSubject extends Subject {
  compose: () => void;
  openSettings: () => void;
  showRecent: () => void;
}

/** Actions that need no mail. */
export const EVERYWHERE: Action<ScreenSubject>[] = [
  {
    id: "compose",
    label: "New message",
    icon: "compose",
    keys: ["c", "Mod+N"],
    opensField: true,
    places: ["header"],
    run: ({ compose }) => compose(),
  },
  {
    id: "recent",
    label: "Recent changes",
    icon: "clock",
    keys: ["Shift+Z"],
    places: ["sidebar"],
    run: ({ showRecent }) => showRecent(),
  },
  { id: "settings", label: "Settings", keys: ["Mod+,"], run: ({ openSettings }) => openSettings() },
];
