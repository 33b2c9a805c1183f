/** How accounts are added and sign in: docs/api.md has the objects. */
import type { Id } from "./types.ts";

export interface AccountSetup {
  id: Id;
  pluginId: string;
  kind: "account" | "local" | "demo";
  title: string;
  serviceName: string;
  explanation: string;
  helpUrl: string | null;
  /** What services of any domain have to speak; empty if it is for certain services only. */
  protocols: ("imap" | "jmap")[];
}

export interface FormField {
  name: string;
  label: string;
  kind: "text" | "email" | "password" | "host" | "port" | "choice";
  choices: { value: string; label: string }[] | null;
  initialValue: string;
  isRequired: boolean;
  hint: string | null;
}

export interface SignIn {
  id: Id;
  setupId: Id | null;
  accountId: Id | null;
  state: "form" | "browser" | "code" | "working" | "failed" | "done";
  fields: FormField[] | null;
  /** The page to open. */
  url: string | null;
  /** What the user types at `page`, on any device. */
  code: string | null;
  page: string | null;
  problem: string | null;
  reason: string | null;
  problemField: string | null;
  addedAccountIds: Id[];
}

/** The search for the mail service of an address. */
export interface AccountDiscovery {
  id: Id;
  address: string;
  state: "asking" | "working" | "found" | "failed";
  servers: string[];
  steps: string[];
  line: string | null;
  warning: string | null;
  isKnown: boolean;
  setupIds: Id[];
  serviceName: string | null;
  problem: string | null;
  /** The user has forbidden to ask servers. */
  isRefused: boolean;
  /** There is no network, so the same search may succeed later. */
  isOffline?: boolean;
}
