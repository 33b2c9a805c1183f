import { words } from "../jmap/errors.ts";
import type { Preferences } from "../jmap/vendor.ts";
import type { App } from "../store/app.ts";
import type { Action } from "./action.ts";

const CHOICES: [label: string, patch: Partial<Preferences>][] = [
  ["List density: compact", { listDensity: "compact" }],
  ["List density: cozy", { listDensity: "cozy" }],
  ["List density: roomy", { listDensity: "roomy" }],
  ["Reading pane: right", { readingPane: "right" }],
  ["Reading pane: below", { readingPane: "below" }],
  ["Reading pane: off", { readingPane: "off" }],
  ["Theme: system", { appTheme: "system" }],
  ["Theme: light", { appTheme: "light" }],
  ["Theme: dark", { appTheme: "dark" }],
];

/** The looks of the page, for the command palette. Settings has them as well. */
export const APPEARANCE: Action[] = CHOICES.map(([label, patch]): Action => ({
  id: label,
  label,
  icon: "image",
  applies: ({ app }) => !holds(app, patch),
  run: ({ app }) => {
    app.preferences.save("singleton", patch).catch((error) => app.toasts.problem(words(error)));
  },
}));

/** Whether that is how it is already. */
function holds({ preferences }: App, patch: Partial<Preferences>): boolean {
  const now: Partial<Record<string, unknown>> = { ...preferences.get("singleton") };
  return Object.entries(patch).every(([key, value]) => now[key] === value);
}
