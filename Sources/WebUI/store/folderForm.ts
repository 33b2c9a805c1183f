import type { Id } from "../jmap/types.ts";

/** The form that the user fills in for a new folder, or for one that is there. */
export type FolderForm =
  | { kind: "new"; accountId: Id | null; parentId: Id | null }
  | { kind: "edit"; accountId: Id; mailboxId: Id };
