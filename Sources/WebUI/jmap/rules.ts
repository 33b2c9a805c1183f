/** Rules as the program keeps them: docs/api.md, RuleList. */
import type { Id, UTCDate } from "./types.ts";

export type Field =
  | "from"
  | "sender"
  | "domain"
  | "to"
  | "subject"
  | "list"
  | "words"
  | "larger"
  | "smaller"
  | "attachment"
  | "search";

export interface Condition {
  field: Field;
  /** A text, a number of bytes, or the id of a saved search; null for `attachment`. */
  value: string | number | null;
  isNegated: boolean;
}

export type RuleVerb =
  | "move"
  | "label"
  | "archive"
  | "star"
  | "read"
  | "trash"
  | "forward"
  | "notify"
  | "stop";

export interface RuleAction {
  verb: RuleVerb;
  /** A mailbox by its path, or an address. */
  value: string | null;
}

export interface Rule {
  kind: "rule";
  name: string;
  isOn: boolean;
  joining: "all" | "any";
  conditions: Condition[];
  actions: RuleAction[];
}

/** Commands that no rule can express. */
export interface RuleText {
  kind: "text";
  text: string;
}

export type RuleEntry = Rule | RuleText;

export interface RuleList {
  id: "singleton";
  scriptId: Id | null;
  name: string | null;
  text: string;
  entries: RuleEntry[];
}

export interface RuleProblem {
  id: Id;
  rule: string;
  sentence: string;
  at: UTCDate;
  count: number;
}

/** What a rule notifies of, until a client shows it. */
export interface RuleNotice {
  id: Id;
  emailId: Id;
  rule: string;
  /** Null: the subject. */
  text: string | null;
  at: UTCDate;
}

export interface Rehearsed {
  examined: number;
  matched: number;
  /** All of them, newest first. */
  emailIds: Id[];
  inboxIds: Id[];
  /** Those that are not in Trash or Spam. */
  keptIds: Id[];
}

export interface Applied {
  changed: number;
  actionIds: Id[];
  problems: string[];
  /** Why it stopped before the last message; what was done by then is above. */
  failure: string | null;
}

/** What is rehearsed and applied: one rule, or a whole script. */
export type Script = { rule: Rule } | { text: string };

/** What the user has to decide before rules can run at the service. */
export interface ServiceQuestion {
  kind: "replace" | "displace";
  /** A digest of the script to replace, or the name of the active one. */
  subject: string;
}

/** Where rules run: docs/api.md, ServiceRules. */
export interface ServiceRules {
  id: "singleton";
  isWanted: boolean;
  isActive: boolean;
  mayBeThere: boolean;
  isForeign: boolean;
  scripts: { name: string; isActive: boolean; isOurs: boolean }[] | null;
  question: ServiceQuestion | null;
  /** The parts of the script in their order. */
  rules: { title: string | null; isOff: boolean; reason: string | null }[];
  obstacle: string | null;
  checkedAt: UTCDate | null;
  problem: string | null;
  problemSince: UTCDate | null;
}

/** RFC 8621, section 8. */
export interface VacationResponse {
  id: "singleton";
  isEnabled: boolean;
  fromDate: UTCDate | null;
  toDate: UTCDate | null;
  subject: string | null;
  textBody: string | null;
  htmlBody?: string | null;
  /** The service sends it by itself. */
  isAtService?: boolean;
}
