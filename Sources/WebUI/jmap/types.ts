/** The objects of RFC 8621 as far as the page reads them. */

export type Id = string;
export type UTCDate = string;
export type State = string;

export interface Address {
  name: string | null;
  email: string;
}

export interface Session {
  accounts: Record<Id, SessionAccount>;
  capabilities: Record<string, unknown>;
  apiUrl: string;
  downloadUrl: string;
  uploadUrl: string;
  eventSourceUrl: string;
  state: State;
}

export interface SessionAccount {
  name: string;
  isReadOnly: boolean;
  accountCapabilities: Record<string, unknown>;
}

export type MailboxRole =
  | "inbox"
  | "drafts"
  | "sent"
  | "archive"
  | "junk"
  | "trash"
  | "flagged"
  | "all"
  | "important"
  | "snoozed";

export interface Mailbox {
  id: Id;
  name: string;
  parentId: Id | null;
  role: MailboxRole | null;
  sortOrder: number;
  totalEmails: number;
  unreadEmails: number;
  totalThreads: number;
  unreadThreads: number;
  /** Whether the user wants to see it in the list of folders. */
  isSubscribed: boolean;
  myRights: Record<string, boolean>;
}

export interface Thread {
  id: Id;
  emailIds: Id[];
}

/** What a row of a list needs of an email. */
export interface EmailHeader {
  id: Id;
  threadId: Id;
  mailboxIds: Record<Id, true>;
  keywords: Record<string, true>;
  from: Address[] | null;
  to: Address[] | null;
  cc?: Address[] | null;
  subject: string | null;
  preview: string;
  receivedAt: UTCDate;
  hasAttachment: boolean;
  /** Warnings about look-alike addresses, keyed by address. */
  addressWarnings?: Record<string, string>;
}

export interface BodyPart {
  partId: string | null;
  blobId: Id | null;
  size: number;
  name: string | null;
  type: string;
  charset: string | null;
  disposition: string | null;
  cid: string | null;
}

export interface BodyValue {
  value: string;
  isEncodingProblem: boolean;
  isTruncated: boolean;
}

/** All that a conversation shows of an email, besides its body. */
export interface Email extends EmailHeader {
  blobId: Id;
  size: number;
  cc: Address[] | null;
  bcc: Address[] | null;
  replyTo: Address[] | null;
  sender?: Address[] | null;
  /** Of a mailing list. */
  "header:List-Id:asText"?: string | null;
  /** How the list can be left. */
  "header:List-Unsubscribe:asRaw"?: string | null;
  /** What servers on its way wrote, the last one first. */
  "header:Received:asRaw:all"?: string[];
  /** More than one field is against the rules: servers check one, and readers see another. */
  "header:From:asAddresses:all"?: Address[][];
  sentAt: string | null;
  attachments: BodyPart[];
  textBody: BodyPart[];
  bodyValues: Record<string, BodyValue>;
}

export interface Identity {
  id: Id;
  name: string;
  email: string;
  textSignature?: string;
  htmlSignature?: string;
  /** Null: the same as in other messages. */
  replySignature?: string | null;
  mayDelete?: boolean;
}

export interface EmailSubmission {
  id: Id;
  emailId: Id;
  threadId: Id;
  identityId: Id;
  envelope?: { rcptTo: { email: string }[] };
  undoStatus: "pending" | "final" | "canceled";
  sendAt: UTCDate;
  sendState: "none" | "queued" | "sending" | "failed" | "sent";
  tries: number;
  nextTryAt: UTCDate | null;
  failure: string | null;
  /** How the last try ended is not known: another may send it twice. */
  mayHaveBeenSent: boolean;
  isPaused?: boolean;
  /** The user has chosen `sendAt`. */
  isScheduled?: boolean;
  /** The service has it or is given it, and sends it at `sendAt`. */
  isHandedOver?: boolean;
}

/** For how long an account's service holds messages; null for a service that does not. */
export interface HoldLimits {
  maxSeconds: number | null;
  latest: UTCDate | null;
  /** The service can stop a message until it sends it. */
  canCancel?: boolean;
}

export interface SearchSnippet {
  emailId: Id;
  subject: string | null;
  preview: string | null;
}

export interface FilterCondition {
  inMailbox?: Id;
  inMailboxOtherThan?: Id[];
  inRole?: MailboxRole;
  category?: string;
  before?: UTCDate;
  after?: UTCDate;
  hasKeyword?: string;
  notKeyword?: string;
  hasAttachment?: boolean;
  text?: string;
  from?: string;
  to?: string;
  subject?: string;
  body?: string;
  minSize?: number;
  maxSize?: number;
  /** A search in the user's words, which the program understands. */
  search?: string;
}

export interface FilterOperator {
  operator: "AND" | "OR" | "NOT";
  conditions: Filter[];
}

export type Filter = FilterCondition | FilterOperator;
