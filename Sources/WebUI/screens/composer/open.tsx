import type { App } from "../../store/app.ts";
import { layoutOf } from "../../ui/layout.ts";
import type { Writing } from "./composer.ts";
import { composersOf } from "./composers.ts";

export { ComposerDock } from "./ComposerDock.tsx";
export type { Writing } from "./composer.ts";

/**
 * Begins to write. The reading screens call this and know nothing else of the composer: it is beside the mail
 * where there is room, and in its place where there is not.
 */
export function openComposer(app: App, writing: Writing): void {
  const composers = composersOf(app);
  if (composers.accounts.length === 0) {
    app.toasts.problem("None of your accounts can send mail.");
  } else if (isNarrow() || !composers.hasDock) {
    app.router.go(["compose", "new"], queryOf(writing));
  } else composers.dock(writing);
}

/** The address of a window of its own. */
export function queryOf(writing: Writing): Record<string, string> {
  return Object.fromEntries(
    Object.entries(writing).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function isNarrow(): boolean {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return layoutOf(innerWidth, rem) === "narrow";
}
