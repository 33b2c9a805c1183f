import type { App } from "../store/app.ts";
import { layoutOf } from "../ui/layout.ts";

/** The one window of the settings, as the browser knows it. */
const NAME = "mailkernel-settings";

/**
 * Opens the settings: in a separate window if there is room, which comes to the front if it is already open,
 * otherwise instead of the mail.
 */
export function openSettings(app: App, ...path: string[]): void {
  const place = ["settings", ...path];
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  const isShown = app.router.place.path[0] === "settings";
  const hasRoom = layoutOf(innerWidth, rem) === "wide" && !isSettingsWindow();
  if (isShown) app.router.replace(place);
  // Where the browser does not allow a window there still are settings.
  else if (!hasRoom || !app.router.openWindow(place, NAME, "width=1080,height=780")) app.router.go(place);
}

/** Whether this window is there for the settings alone. */
export function isSettingsWindow(): boolean {
  return self.name === NAME;
}

/**
 * Says that this window shows the settings, so that another one, opened from elsewhere, closes: there is one at
 * a time, the one that was asked for last. Returns what ends it.
 *
 * A browser brings a window to the front only for the page that opened it.
 */
export function standAlone(onOther: () => void): () => void {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = onOther;
  channel.postMessage("open");
  return () => channel.close();
}
