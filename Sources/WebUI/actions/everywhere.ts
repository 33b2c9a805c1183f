import { CAPABILITY } from "../jmap/program.ts";
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
  {
    id: "senders",
    label: "Senders",
    icon: "people",
    keys: ["g e"],
    places: ["sidebar"],
    applies: ({ app }) => app.client.has(CAPABILITY.senders),
    run: ({ app }) => app.router.go(["senders"]),
  },
  {
    id: "settings",
    label: "Settings",
    icon: "settings",
    keys: ["Mod+,"],
    run: ({ openSettings }) => openSettings(),
  },
];

/** What opens the command palette. */
export const PALETTE: Action<Subject & { find: (what: "everything" | "folders") => void }>[] = [
  {
    id: "palette",
    label: "Command palette",
    icon: "search",
    keys: ["Mod+K"],
    opensField: true,
    whileWriting: true,
    run: ({ find }) => find("everything"),
  },
  {
    id: "goToFolder",
    label: "Go to a folder or label",
    icon: "folder",
    keys: ["g l"],
    opensField: true,
    run: ({ find }) => find("folders"),
  },
];

/** The list of shortcuts. */
export const HELP: Action<Subject & { showHelp: () => void }>[] = [
  { id: "help", label: "Show these shortcuts", icon: "help", keys: ["?"], run: ({ showHelp }) => showHelp() },
];

/** The search field of a list. */
export const SEARCHING: Action<Subject & { search: () => void }>[] = [
  {
    id: "search",
    label: "Search",
    icon: "search",
    keys: ["/", "Mod+F"],
    opensField: true,
    run: ({ search }) => search(),
  },
];
