import type { MailboxRole } from "../jmap/types.ts";
import type { Verb } from "../jmap/vendor.ts";

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
}

export type Right = "mayRemoveItems" | "maySetSeen" | "maySetKeywords";

const moving = { right: "mayRemoveItems" } as const;
const starring = { right: "maySetKeywords" } as const;
const reading = { right: "maySetSeen" } as const;

export const VERBS: Record<Verb, VerbFacts> = {
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
  read: { ...reading, done: "marked as read" },
  unread: { ...reading, done: "marked as unread" },
  star: { ...starring, done: "starred" },
  unstar: { ...starring, done: "unstarred" },
  mute: { ...starring, done: "muted" },
  unmute: { ...starring, done: "unmuted" },
  destroy: { ...moving, done: "permanently deleted" },
};

/** `moved to Travel` */
export function doneWords(verb: Verb, mailbox?: string): string {
  return mailbox === undefined ? VERBS[verb].done : `${VERBS[verb].done} ${mailbox}`;
}
