import type { Id } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";

/** What somebody wants to write. The reading screens call this and know nothing else of the composer. */
export interface Writing {
  mode: "new" | "reply" | "replyAll" | "forward";
  accountId?: Id;
  emailId?: Id;
  mailto?: string;
  /** A draft that is to be written on. */
  draftEmailId?: Id;
}

export function openComposer(app: App, writing: Writing): void {
  const query = Object.fromEntries(
    Object.entries(writing).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  app.router.go(["compose", "new"], query);
}

/** Composers that are open in this window beside the mail. */
export function ComposerDock() {
  return null;
}
