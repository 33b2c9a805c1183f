import type { EmailHeader } from "../../jmap/types.ts";
import { isStarred, isUnread } from "../../store/target.ts";
import {
  counted,
  inOrder,
  participants,
  recipients,
  senderWarning,
  spokenTime,
  subjectOf,
} from "../../store/words.ts";

/** What a row shows of a conversation. */
export interface RowContent {
  who: string;
  email: string;
  subject: string;
  preview: string;
  at: string;
  isUnread: boolean;
  isStarred: boolean;
  hasAttachment: boolean;
  messages: number;
  draft: boolean;
  /** A sender is not who it seems to be. */
  warning: string | null;
  /** What it is in, where the list does not show it: Trash or Spam, its category, its account. */
  notes: string[];
  /** When it returns to the inbox, in the list of snoozed conversations. */
  returns: string | null;
}

/** Facts about a conversation besides its newest email. */
interface Known extends Pick<RowContent, "notes" | "returns"> {
  members: EmailHeader[];
  messages: number;
  /** Whether the user wrote a message. */
  isOwn: (email: EmailHeader) => boolean;
  /** It is in Sent or Drafts, where the sender is always the same. */
  showsRecipients: boolean;
}

export function contentOf(email: EmailHeader, known: Known): RowContent {
  const { members, messages, isOwn, showsRecipients, notes, returns } = known;
  const all = members.length > 0 ? members : [email];
  const sender = email.from?.[0];
  const other = showsRecipients ? email.to?.[0] ?? sender : sender;
  return {
    who: showsRecipients ? `To: ${recipients(email)}` : participants(all, isOwn),
    email: other?.email ?? "",
    subject: subjectOf(email),
    preview: inOrder(email.preview),
    at: email.receivedAt,
    isUnread: all.some(isUnread),
    isStarred: all.some(isStarred),
    hasAttachment: all.some((one) => one.hasAttachment),
    messages: Math.max(messages, all.length),
    draft: all.some((one) => one.keywords["$draft"]),
    warning: all.map(senderWarning).find((warning) => warning !== null) ?? null,
    notes,
    returns,
  };
}

/** All of a row in one sentence, for who does not see it. */
export function sentenceOf(content: RowContent, isSelected: boolean): string {
  const parts = [
    `${content.isUnread ? "Unread conversation" : "Conversation"} with ${content.who.replace(/^To: /, "")}`,
    content.warning ? `Warning: ${content.warning}` : "",
    content.subject,
    content.messages > 1 ? counted(content.messages, "message") : "",
    content.draft ? "with a draft" : "",
    content.isStarred ? "starred" : "",
    content.hasAttachment ? "with attachment" : "",
    ...content.notes.map((note) => `in ${note}`),
    content.returns ? `returns ${content.returns}` : "",
    spokenTime(content.at),
    isSelected ? "selected" : "",
  ];
  return `${parts.filter(Boolean).join(", ")}.`;
}
