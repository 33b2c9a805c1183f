import type { Mailbox } from "../jmap/types.ts";
import type { Verb } from "../jmap/vendor.ts";

/** Something that the user does to conversations. The program decides which of their messages it changes, and how. */
export interface MailAction {
  verb: Verb;
  /** For `move`, `label` and `unlabel`; `inbox` is the inbox of each account. */
  to?: Mailbox | "inbox";
  /** Only the given messages, not their whole conversations. */
  isPart?: boolean | undefined;
}
