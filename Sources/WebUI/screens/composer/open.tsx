import type { App } from "../../store/app.ts";
import { layoutOf } from "../../ui/layout.ts";
import { composersOf } from "./composers.ts";
import { isReply, queryOf, type Writing } from "./writing.ts";

export { BelowMessage } from "./BelowMessage.tsx";
export { ComposerDock } from "./ComposerDock.tsx";
export { composerPart } from "./LaterView.tsx";
export { useOpenDrafts } from "./useOpenDrafts.ts";

/**
 * Begins to write. The reading screens call this and know nothing else of the composer: it is beside the mail
 * where there is room, and in its place where there is not.
 */
export async function openComposer(app: App, writing: Writing): Promise<void> {
  const composers = composersOf(app);
  // An account that was added just now may not be known here yet.
  if (composers.accounts.length === 0) await app.reloadAccounts();
  if (composers.accounts.length === 0) {
    app.toasts.problem(`${composers.problem}.`);
  } else if (isNarrow() || !composers.hasDock) {
    app.router.go(["compose", "new"], queryOf(writing));
  } else if (!isReply(writing) || !isForWindow(app) || !openWindow(app, writing)) composers.dock(writing);
}

function isForWindow({ preferences }: App): boolean {
  return preferences.get("singleton")?.replyPlace === "window";
}

function openWindow({ router }: App, writing: Writing): boolean {
  return router.openWindow(
    ["compose", "new"],
    `compose-${crypto.randomUUID()}`,
    undefined,
    queryOf(writing),
  );
}

function isNarrow(): boolean {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return layoutOf(innerWidth, rem) === "narrow";
}
