/** What the program adds to JMAP: docs/api.md describes each. */
import { Id, UTCDate } from "./types.ts";

export interface Preferences {
  id: "singleton";
  defaultSendingAccountId: Id | null;
  undoSendDelaySeconds: 0 | 5 | 10 | 15 | 30;
  appTheme: "system" | "light" | "dark";
  categoryTabVisibility: Record<string, boolean>;
  appLockEnabled: boolean;
  notificationPreferences: Record<Id, boolean>;
  isOnboardingComplete: boolean;
  sendWhileClosed?: boolean;
}

export interface AccountSettings {
  id: Id;
  pluginId: string;
  address: string;
  displayName: string;
  status: "active" | "inactive";
  syncWindowDays: number;
  attachmentCacheLimitMB: number;
  addedAt: UTCDate;
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
}

export interface Notice {
  id: Id;
  accountId: Id;
  text: string;
  at: UTCDate;
}

export interface Contact {
  email: string;
  name: string | null;
  frequency: number;
  lastSeenAt: UTCDate;
}

/** An email's body, made safe by the program. */
export interface EmailView {
  id: Id;
  /** A style sheet, if any, and one `div`; quoted parts have `data-quote`. */
  html: string | null;
  hasQuote: boolean;
  blockedRemoteCount: number;
  removedTrackerCount: number;
  linkHosts: string[];
  isTruncated: boolean;
  isSenderTrusted: boolean;
  dangerousBlobIds: Id[];
}

export interface TrustedSender {
  id: Id;
  email: string;
}

export interface RecentSearch {
  id: Id;
  text: string;
}
