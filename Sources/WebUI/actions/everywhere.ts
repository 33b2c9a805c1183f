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
    places: ["header", "compose"],
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

/** The list of shortcuts. */
export const HELP: Action<Subject & { showHelp: () => void }>[] = [
  { id: "help", label: "Show these shortcuts", keys: ["?"], run: ({ showHelp }) => showHelp() },
];

/** The search field of a list. */
export const SEARCHING: Action<Subject & { search: () => void }>[] = [
  {
    id: "search",
    label: "Search",
    keys: ["/", "Mod+F", "Mod+K"],
    opensField: true,
    run: ({ search }) => search(),
  },
];
