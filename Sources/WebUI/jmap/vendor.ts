/** What the program adds to JMAP: docs/api.md describes each. */
import { Address, Id, UTCDate } from "./types.ts";

export interface Preferences {
  id: "singleton";
  defaultSendingAccountId: Id | null;
  undoSendDelaySeconds: 0 | 5 | 10 | 15 | 30;
  appTheme: "system" | "light" | "dark";
  categoryTabVisibility: Record<string, boolean>;
  appLockEnabled: boolean;
  appLockDelayMinutes: 0 | 1 | 5 | 15 | 60;
  notificationPreferences: Record<Id, boolean>;
  notifyOnEveryComputer?: boolean;
  isOnboardingComplete: boolean;
  sendWhileClosed?: boolean;
  listDensity?: "compact" | "cozy" | "roomy";
  readingPane?: "right" | "below" | "off";
  textSizePercent?: number;
  /** In thousandths of the room that panes share. */
  paneSizes?: Partial<Record<"sidebar" | "list" | "listHeight", number>>;
  /** Accounts and mailboxes whose content is hidden: `ACCOUNT`, or `ACCOUNT/MAILBOX`. */
  collapsedFolders?: Record<string, boolean>;
  /** By `ACCOUNT/MAILBOX`, as the next two: folders that are also listed above all others. */
  favoriteFolders?: Record<string, boolean>;
  folderColors?: Record<string, FolderColor>;
  /** Whether the number of unread conversations is shown; usual for its kind where it is not named. */
  folderCounts?: Record<string, boolean>;
  writesPlainText?: boolean;
  replyPlace?: "below" | "floating" | "window";
  serviceSearch?: "ask" | "allow" | "refuse";
  /** In thousandths of the window. */
  composerBox?: Partial<Record<"left" | "top" | "width" | "height", number>>;
}

export type FolderColor =
  | "red"
  | "orange"
  | "yellow"
  | "green"
  | "teal"
  | "blue"
  | "purple"
  | "pink"
  | "gray";

export interface AccountSettings {
  id: Id;
  pluginId: string;
  address: string;
  displayName: string;
  status: "active" | "inactive" | "paused";
  syncWindowDays: number;
  attachmentCacheLimitMB: number;
  addedAt: UTCDate;
  /** The addresses that the service named; null if it was not asked. */
  serviceAddresses?: string[] | null;
  /** No service has its mail: it is lost with the account. */
  isKeptHereOnly?: boolean;
}

/** RFC 9425. */
export interface Quota {
  id: Id;
  resourceType: "octets" | "count";
  used: number;
  hardLimit: number;
  softLimit: number | null;
  warnLimit: number | null;
  scope: "account" | "domain" | "global";
  name: string;
  description: string | null;
  types: string[];
}

/** What a service says about an account besides its mail. */
export interface ServiceReport {
  accountId: Id;
  quotas: Quota[];
  jmapSessionUrl: string | null;
}

/** A blob on its way from its service to this machine. */
export interface BlobFetch {
  id: Id;
  mailAccountId: Id;
  received: number;
  size: number | null;
}

export interface SyncStatus {
  id: Id;
  phase: "idle" | "connecting" | "syncing" | "listening" | "waiting" | "failed";
  progress: { done: number; total: number } | null;
  problem: string | null;
  isSignInRefused?: boolean;
  /** What ends the problem. */
  remedy?: "signIn" | "unlock" | "wait" | "network" | "retry" | null;
  retryAt?: UTCDate | null;
  syncedAt?: UTCDate | null;
  /** Which computer looks after the account; null if the store is not shared. */
  turn?: "here" | "elsewhere" | "signInNeeded" | null;
}

export interface Notice {
  id: Id;
  accountId: Id;
  text: string;
  at: UTCDate;
  /** The draft that can be continued. */
  emailId?: Id | null;
}

export interface Contact {
  email: string;
  name: string | null;
  /** A warning, if the address imitates another. */
  warning?: string | null;
  frequency: number;
  lastSeenAt: UTCDate;
}

/** An email's body, made safe by the program. */
export interface EmailView {
  id: Id;
  /** A style sheet, if any, and one `div`; quoted parts have `data-quote`. */
  html: string | null;
  hasQuote: boolean;
  /** Images that load when asked for. */
  blockedImageCount: number;
  /** What never loads, by the reason. */
  refusedRemote: { insecure: number; address: number; style: number; other: number };
  /** Remote images that are still coming. */
  pendingImageCount: number;
  removedTrackerCount: number;
  linkHosts: string[];
  isTruncated: boolean;
  /** Parts of the message are nested too deeply to be read. */
  hasDeeperParts: boolean;
  isSenderTrusted: boolean;
  /** The risk of each attachment, as a sentence, keyed by blob id. */
  attachmentRisks: Record<Id, string>;
  /** Warnings about look-alike hosts, keyed by host. */
  linkWarnings: Record<string, string>;
}

export interface TrustedSender {
  id: Id;
  email: string;
}

export interface RecentSearch {
  id: Id;
  text: string;
}

/** A part of a search that was understood as more than words. */
export interface SearchChip {
  label: string;
  /** Its place in the text. */
  start: number;
  end: number;
  /** The search without it. */
  without: string;
  /** Only words in quotation marks. */
  isPhrase: boolean;
}

/** Words that follow one another, folded; the last may be the beginning of a word. */
export interface SearchMark {
  words: string[];
  isPrefix: boolean;
}

/** What `SearchText/parse` understood. */
export interface SearchReading {
  problem: string | null;
  chips: SearchChip[];
  /** What was not understood, in sentences. */
  remarks: { sentence: string; start: number; end: number }[];
  /** What to mark in the text of messages. */
  marks: SearchMark[];
}

/** A way to complete a search, from `SearchText/complete`. */
export interface SearchHint {
  kind: "operator" | "value" | "person" | "folder" | "date" | "recent";
  title: string;
  detail: string;
  /** The whole search with it, and where typing goes on. */
  text: string;
  caret: number;
}

/** A message that only the service has, from `OlderMail/query`. */
export interface FoundMail {
  feedId: string;
  remoteId: string;
  from: Address[] | null;
  to: Address[] | null;
  subject: string | null;
  receivedAt: UTCDate;
  preview: string;
  hasAttachment: boolean;
  size: number;
  keywords: Record<string, true>;
}

export interface SavedSearch {
  id: Id;
  name: string;
  text: string;
  /** Null for a search that cannot be answered. */
  totalThreads: number | null;
  unreadThreads: number | null;
}
