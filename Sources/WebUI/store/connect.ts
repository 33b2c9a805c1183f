import { JMAPClient } from "../jmap/client.ts";
import type { Shortcuts } from "../base/shortcuts.ts";
import { App } from "./app.ts";

/** So long the first screen waits for what it shows, so that it is drawn once. Then it shows what is still to come. */
const PATIENCE = 250;

/** The session, then what every screen needs, which may still be on its way. */
export async function connect(shortcuts: Shortcuts): Promise<App> {
  const app = new App(await JMAPClient.connect(), shortcuts);
  const started = app.start();
  await Promise.race([started, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  return app;
}
