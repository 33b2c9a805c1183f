import type { Mailbox, MailboxRole, UTCDate } from "../jmap/types.ts";

/** What the page knows of a verb: its words, and what an account must have for it. */
interface VerbFacts {
  /** After “Conversation” or “3 conversations”; the mailbox's name follows where there is one. */
  done: string;
  /** If the program had nothing to change. */
  nothing?: string;
  /** The mailbox that it moves to. */
  role?: MailboxRole;
  /** What it needs in the mailboxes that messages are in. */
  right?: Right;
  /** The keyword that it changes, whether it sets it, and whether only in the newest message. */
  mark?: [keyword: string, value: true | null, isOfNewest?: boolean];
}

export type Right = "mayRemoveItems" | "maySetSeen" | "maySetKeywords";

const moving = { right: "mayRemoveItems" } as const;
const starring = { right: "maySetKeywords" } as const;
const reading = { right: "maySetSeen" } as const;

/** What the user does to mail. The program decides which messages of a conversation it changes, and how. */
export const VERBS = {
  archive: {
    ...moving,
    done: "archived",
    role: "archive",
    nothing: "Nothing to archive: these messages are not in the inbox.",
  },
  trash: {
    ...moving,
    done: "moved to Trash",
    role: "trash",
    nothing: "These messages are already in Trash.",
  },
  spam: { ...moving, done: "marked as spam", role: "junk", nothing: "These messages are already in Spam." },
  notSpam: {
    ...moving,
    done: "moved to Inbox",
    role: "inbox",
    nothing: "These messages are already in the inbox.",
  },
  move: { ...moving, done: "moved to", nothing: "These messages are already there." },
  label: { done: "labeled" },
  unlabel: { ...moving, done: "no longer labeled" },
  read: { ...reading, done: "marked as read", mark: ["$seen", true] },
  unread: { ...reading, done: "marked as unread", mark: ["$seen", null, true] },
  star: { ...starring, done: "starred", mark: ["$flagged", true, true] },
  unstar: { ...starring, done: "unstarred", mark: ["$flagged", null] },
  mute: { ...starring, done: "muted", mark: ["$muted", true] },
  unmute: { ...starring, done: "unmuted", mark: ["$muted", null] },
  snooze: {
    ...moving,
    done: "snoozed",
    nothing: "Nothing to snooze: these messages are not in the inbox.",
  },
  unsnooze: {
    ...moving,
    done: "moved to Inbox",
    role: "inbox",
    nothing: "These messages are not snoozed.",
  },
  remind: { done: "marked for a reminder" },
  unremind: { done: "no longer marked for a reminder", nothing: "There is no reminder." },
  destroy: { ...moving, done: "permanently deleted" },
} satisfies Record<string, VerbFacts>;

export type Verb = keyof typeof VERBS;

/** Something that is done to conversations. */
export interface MailAction {
  verb: Verb;
  /** For `move`, `label` and `unlabel`; `inbox` is the inbox of each account. */
  to?: Mailbox | "inbox";
  /** For `snooze` and `remind`. */
  until?: UTCDate;
  /** Only the given messages, not their whole conversations. */
  isPart?: boolean | undefined;
}

export function factsOf(verb: Verb): VerbFacts {
  return VERBS[verb];
}
