import type { App } from "../store/app.ts";
import { address } from "../store/router.ts";
import { isSettingsWindow } from "./openSettings.ts";

/** Shows a place in the mail. From the window of the settings, that is in the window that opened it. */
export function showMail({ router }: App, path: string[], query: Record<string, string> = {}): void {
  const mail: Window | null = isSettingsWindow() ? globalThis.opener : null;
  if (!mail || mail.closed) return router.go(path, query);
  mail.location.hash = address(path, query);
  mail.focus();
  globalThis.close();
}
