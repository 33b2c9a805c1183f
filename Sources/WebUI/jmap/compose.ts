/** Drafts: docs/api.md describes the objects. */
import type { Address, Id, UTCDate } from "./types.ts";

export type DraftMode = "new" | "reply" | "replyAll" | "forward" | "forwardAsAttachment";

export interface DraftAttachment {
  blobId: Id;
  name: string | null;
  type: string;
  size: number;
  isPending: boolean;
  problem: string | null;
  /** The name by which the HTML shows it. */
  cid?: string | null;
  disposition?: "inline" | "attachment";
}

export interface DraftProblem {
  kind:
    | "noRecipient"
    | "invalidAddress"
    | "imitatingAddress"
    | "emptySubject"
    | "emptyBody"
    | "bodyLarge"
    | "attachmentsLarge"
    | "attachmentsTooLarge"
    | "attachmentPending"
    | "attachmentFailed"
    | "missingAttachment"
    | "placeholderLeft";
  field: string;
  value: string | null;
  text: string;
  blocksSending: boolean;
}

/** The content of a draft, without properties added by the program. */
export interface DraftContent {
  identityId: Id;
  mode: DraftMode;
  sourceEmailId: Id | null;
  to: Address[];
  cc: Address[];
  bcc: Address[];
  subject: string;
  /** Plain text; made from `html`, if there is any. */
  body: string;
  /** What is formatted; null for a message of plain text. */
  html?: string | null;
  inReplyTo: string[] | null;
  references: string[] | null;
  attachments: DraftAttachment[];
  /** When the user is reminded if there is no reply. */
  remindAt?: UTCDate | null;
  problems: DraftProblem[];
}

export interface Draft extends DraftContent {
  id: Id;
  emailId: Id | null;
  savedAt: UTCDate;
  encodedSize: number;
  conflict: { emailId: Id } | null;
  submissionId: Id | null;
  /** Why it could not be sent the last time. */
  failure: string | null;
}

/** A text that the user writes again and again, as `docs/api.md` describes it. */
export interface Template {
  id: Id;
  name: string;
  /** For a message that has none. */
  subject: string | null;
  html: string;
}

/** The answer of `Draft/send`. */
export interface Sent {
  accountId: Id;
  submissionId: Id;
  emailId: Id;
  sendAt: UTCDate;
  undoSeconds: number;
  isScheduled?: boolean;
  /** The service gets it now, and sends it at `sendAt`. */
  isHandedOver?: boolean;
  /** What was done together with it, and is undone together: the answered conversation was archived. */
  archived?: { accountId: Id; id: Id }[];
}
