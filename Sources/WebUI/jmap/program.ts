/** What the program says of itself: storage, models, plugins, the lock, its connections. */
import type { Id, UTCDate } from "./types.ts";

export interface Plugin {
  id: Id;
  name: string | null;
  version: string | null;
  author: string | null;
  license: string | null;
  kind: "account" | "model" | "storage" | "notification" | null;
  hosts: string[];
  state:
    | "loaded"
    | "disabled"
    | "refused"
    | "skippedInSafeMode"
    | "available"
    | "skippedAfterCrash"
    | "skippedAsTooSlow";
  reason: string | null;
}

/** A file or folder of this computer. */
export interface FolderEntry {
  path: string;
  name: string;
  isFolder: boolean;
  size: number;
}

export interface FolderListing {
  folder: string;
  parent: string | null;
  list: FolderEntry[];
}

export interface Model {
  id: Id;
  pluginId: Id;
  name: string;
  purpose: string;
  abilities: string[];
  sourceUrl: string;
  size: number;
  license: string;
  licenseText: string | null;
  memoryNeeded: number | null;
  status: "notDownloaded" | "downloading" | "downloaded" | "unusable";
  /** Of a current download, or of one that can be continued. */
  received: number | null;
  bytesPerSecond: number | null;
  secondsLeft: number | null;
  /** What went wrong, as the person reads it, and what lies behind it. */
  problem: string | null;
  /** It is a download that broke off. */
  isFailedDownload?: boolean;
  reason: string | null;
  /** Its current tasks. */
  usedFor: ("categories" | "search" | "replies" | "summaries")[];
}

export interface AppLock {
  id: "singleton";
  isEnabled: boolean;
  isLocked: boolean;
  canEnable: boolean;
  reason: string | null;
}

export interface About {
  id: "singleton";
  version: string;
  build: string;
  privacyPolicyUrl: string;
  licenses: (License & { version: string | null })[];
  modelLicenses: (License & { sourceUrl: string })[];
  diskEncryption: "encrypted" | "notEncrypted" | "unknown";
}

export interface License {
  name: string;
  /** Its short name, which may be empty. */
  license: string;
  text: string;
}

export interface AccountUsage {
  id: Id;
  mailBytes: number;
  attachmentBytes: number;
  indexBytes: number;
  totalBytes: number;
  isOverWarning: boolean;
}

/** The object with the id `program`. */
export interface ProgramUsage {
  id: "program";
  modelBytes: number;
  totalBytes: number;
  isOverWarning: boolean;
  clearableBytes: number;
}

/** What keeps the mail. */
export interface MailStore {
  id: "singleton";
  pluginId: Id | null;
  name: string | null;
  /** The name of the server that it is on; null for this computer. */
  server: string | null;
  isResponding: boolean;
  /** The copy on this computer is in use, because that server does not respond. */
  isOffline: boolean;
  /** That copy is complete, so it can be used. */
  hasCopy: boolean;
  /** Why it does not respond. */
  reason: string | null;
  canCheck: boolean;
}

/** A store that can be used instead, while there is no account. */
export interface StoreChoice {
  id: Id;
  name: string;
  description: string;
  /** It keeps mail on a server. */
  isRemote: boolean;
  settings: StoreSetting[];
}

export interface StoreSetting {
  name: string;
  title: string;
  explanation: string;
  kind: "text" | "secret";
  isRequired: boolean;
}

/** Mail or settings on their way to a file. */
export interface Export {
  id: Id;
  kind: "mbox" | "settings";
  exportAccountId: Id | null;
  path: string | null;
  done: number;
  total: number;
  failures: number;
  isFinished: boolean;
  problem: string | null;
}

export interface Connection {
  id: Id;
  pluginId: Id | null;
  host: string;
  port: number;
  purpose: string;
  beganAt: UTCDate;
  endedAt: UTCDate | null;
  bytesSent: number | null;
  bytesReceived: number | null;
  outcome: "open" | "finished" | "failed" | "interrupted";
  problem: string | null;
}

export interface Vault {
  id: "singleton";
  kind: "secretService" | "vault" | "none";
  state: "open" | "locked" | "absent";
}

export interface NotificationStatus {
  id: "singleton";
  canNotify: boolean;
  reason: string | null;
}

/** The capabilities that a screen looks for before it shows what belongs to them. */
export const CAPABILITY = {
  models: "urn:mailkernel:models",
  storage: "urn:mailkernel:storage",
  about: "urn:mailkernel:about",
  lock: "urn:mailkernel:lock",
  secrets: "urn:mailkernel:secrets",
  connections: "urn:mailkernel:connections",
  notifications: "urn:mailkernel:notifications",
  plugins: "urn:mailkernel:plugins",
  reading: "urn:mailkernel:reading",
  rules: "urn:mailkernel:rules",
  senders: "urn:mailkernel:senders",
} as const;
