import type { Action, Subject } from "./action.ts";
import { isSettingsWindow } from "./openSettings.ts";

/** The settings, in place of the mail or in a window of their own. */
export interface SettingsSubject extends Subject {
  leave: () => void;
  search: () => void;
}

/** What the settings offer besides settings. */
export const SETTINGS: Action<SettingsSubject>[] = [
  {
    id: "leave",
    label: () => isSettingsWindow() ? "Close settings" : "Back to your mail",
    title: "Back to your mail",
    icon: () => isSettingsWindow() ? "close" : "back",
    keys: ["Escape"],
    places: ["back"],
    run: ({ leave }) => leave(),
  },
  {
    id: "search",
    label: "Search settings",
    icon: "search",
    keys: ["/", "Mod+F"],
    opensField: true,
    run: ({ search }) => search(),
  },
];
