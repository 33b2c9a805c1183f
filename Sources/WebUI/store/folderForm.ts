import type { EmailHeader, Id } from "../jmap/types.ts";

/** The form that the user fills in for a new folder, for one that is there, or for where mail of a sender always goes. */
export type FolderForm =
  | { kind: "new"; accountId: Id | null; parentId: Id | null }
  | { kind: "edit"; accountId: Id; mailboxId: Id }
  | { kind: "file"; accountId: Id; email: EmailHeader };
