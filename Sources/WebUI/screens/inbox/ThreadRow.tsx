import { memo, type ReactNode } from "react";
import type { EmailHeader } from "../../jmap/types.ts";
import { isStarred, isUnread } from "../../store/target.ts";
import type { Row } from "../../store/rows.ts";
import {
  count,
  counted,
  displayName,
  inOrder,
  participants,
  recipients,
  senderWarning,
  shortTime,
  spokenTime,
  subjectOf,
} from "../../store/words.ts";
import { Avatar } from "../../ui/Avatar.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";

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
  /** In unified lists: which account. */
  account: string | null;
  /** Where it was found, if that is Trash or Spam. */
  apart: string | null;
  draft: boolean;
  /** A sender is not who it seems to be. */
  warning: string | null;
  /** What kind of mail it is, where a model has said so and it is not the usual. */
  category: string | null;
}

export function contentOf(
  email: EmailHeader,
  members: EmailHeader[],
  messages: number,
  own: Set<string>,
  showsRecipients: boolean,
  account: string | null,
  apart: string | null,
  category: string | null,
): RowContent {
  const all = members.length > 0 ? members : [email];
  const sender = email.from?.[0];
  const other = showsRecipients ? email.to?.[0] ?? sender : sender;
  return {
    who: showsRecipients ? `To: ${recipients(email)}` : participants(all, own),
    email: other ? other.email : "",
    subject: subjectOf(email),
    preview: inOrder(email.preview),
    at: email.receivedAt,
    isUnread: all.some(isUnread),
    isStarred: all.some(isStarred),
    hasAttachment: all.some((one) => one.hasAttachment),
    messages: Math.max(messages, all.length),
    account,
    apart,
    category,
    draft: all.some((one) => one.keywords["$draft"]),
    warning: all.map(senderWarning).find((warning) => warning !== null) ?? null,
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
    content.category ? `category ${content.category}` : "",
    content.apart ? `in ${content.apart}` : "",
    content.account ? `in ${content.account}` : "",
    spokenTime(content.at),
    isSelected ? "selected" : "",
  ];
  return `${parts.filter(Boolean).join(", ")}.`;
}

interface ThreadRowProps {
  row: Row;
  id: string;
  index: number;
  total: number;
  top: number;
  content: RowContent;
  isCursor: boolean;
  isOpen: boolean;
  isSelected: boolean;
  /** The subject and preview with what was searched for marked. */
  marked?: { subject: ReactNode; preview: ReactNode } | undefined;
}

/**
 * One conversation. Everything that can be done with it is done by the list, which sees whose `data-action`
 * was clicked: an option has no controls in it, and the keyboard has keys and the toolbar for all of them.
 */
export const ThreadRow = memo(function ThreadRow(
  { id, index, total, top, content, isCursor, isOpen, isSelected, marked }: ThreadRowProps,
) {
  const state = [
    content.isUnread ? "row-unread" : "",
    isCursor ? "row-cursor" : "",
    isOpen ? "row-open" : "",
    isSelected ? "row-selected" : "",
  ].join(" ");
  return (
    <div
      id={id}
      role="option"
      className={`row ${state}`}
      style={{ top: `${top}px` }}
      data-index={index}
      draggable
      aria-selected={isSelected}
      aria-current={isOpen || undefined}
      aria-posinset={index + 1}
      aria-setsize={total}
      aria-label={sentenceOf(content, false)}
    >
      <span className="row-select" data-action="select" title="Select (x)">
        <Avatar name={content.who.replace(/^To: /, "")} email={content.email} isChecked={isSelected} />
      </span>
      <span className="row-text">
        <span className="row-line">
          {content.isUnread && <span className="row-dot" />}
          {content.warning && <WarningMark warning={content.warning} />}
          <span className="row-who">{content.who}</span>
          {content.messages > 1 && <span className="row-count">{count(content.messages)}</span>}
          {content.draft && <span className="row-draft">Draft</span>}
          <time className="row-time" dateTime={content.at}>{shortTime(content.at)}</time>
        </span>
        <span className="row-line">
          <span className="row-subject">{marked?.subject ?? content.subject}</span>
          {content.hasAttachment && <Icon name="attach" className="row-sign" />}
          <span
            className="row-star"
            data-action="star"
            title={content.isStarred ? "Remove star (s)" : "Star (s)"}
          >
            <Icon name="star" isFilled={content.isStarred} />
          </span>
        </span>
        <span className="row-line row-last">
          <span className="row-preview">{marked?.preview ?? content.preview}</span>
          {content.apart && <span className="row-account">{content.apart}</span>}
          {content.category && <span className="row-account">{content.category}</span>}
          {content.account && <span className="row-account">{content.account}</span>}
        </span>
      </span>
      <span className="row-actions" aria-hidden="true">
        <span data-action="archive" title="Archive (e)">
          <Icon name="archive" />
        </span>
        <span data-action="delete" title="Delete (#)">
          <Icon name="trash" />
        </span>
        <span
          data-action="seen"
          title={content.isUnread ? "Mark as read (Shift + I)" : "Mark as unread (Shift + U)"}
        >
          <Icon name={content.isUnread ? "mailOpen" : "mail"} />
        </span>
      </span>
    </div>
  );
});

/** A row that is still being loaded. */
export function EmptyRow({ top }: { top: number }) {
  return (
    <div className="row row-empty" role="presentation" style={{ top: `${top}px` }}>
      <span className="row-select">
        <span className="avatar" />
      </span>
      <span className="row-text">
        <span className="bone" />
        <span className="bone bone-long" />
      </span>
    </div>
  );
}

export function senderName(email: EmailHeader): string {
  const from = email.from?.[0];
  return from ? displayName(from) : "No sender";
}
