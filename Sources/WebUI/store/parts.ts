import type { Dialogs } from "../base/dialogs.ts";
import type { Toasts } from "../base/toasts.ts";
import type { JMAPClient } from "../jmap/client.ts";
import type { Id, Mailbox } from "../jmap/types.ts";
import type { Preferences } from "../jmap/vendor.ts";
import type { Emails } from "./emails.ts";
import type { Records } from "./records.ts";
import type { Router } from "./router.ts";

export interface MailAccount {
  id: Id;
  name: string;
  mailboxes: Records<Mailbox>;
  /** An email can be in several mailboxes: they are labels. */
  hasLabels: boolean;
  /** Folders can be created at the top level. */
  mayCreateFolders: boolean;
}

export type Listener = (accountId: Id, changed: Record<string, string>) => void;

/** The shared parts that the classes of the store use. `App` provides them, so none of these classes imports it. */
export interface Parts {
  readonly client: JMAPClient;
  readonly router: Router;
  readonly toasts: Toasts;
  readonly dialogs: Dialogs;
  readonly emails: Emails;
  readonly preferences: Records<Preferences>;
  readonly accounts: MailAccount[];
  account(id: Id | undefined): MailAccount | undefined;
  /** Calls the listener on every change until the returned function is called. */
  onChange(listener: Listener): () => void;
}
