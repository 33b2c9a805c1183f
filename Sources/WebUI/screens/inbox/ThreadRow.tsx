import { memo, type ReactNode } from "react";
import type { Offer } from "../../actions/offers.ts";
import { count, shortTime } from "../../store/words.ts";
import { Avatar } from "../../ui/Avatar.tsx";
import { titleOf } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";
import { type RowContent, sentenceOf } from "./rowContent.ts";

interface ThreadRowProps {
  id: string;
  index: number;
  total: number;
  top: number;
  content: RowContent;
  /** The actions on hover, and those that are always visible. */
  tools: Offer[];
  marks: Offer[];
  isCursor: boolean;
  isOpen: boolean;
  isSelected: boolean;
  /** The subject and preview with matches marked. */
  marked?: { subject: ReactNode; preview: ReactNode } | undefined;
}

/**
 * One conversation. Everything that can be done with it is done by the list, which sees whose `data-action`
 * was clicked: an option has no controls in it, and the keyboard has keys and the toolbar for all of them.
 */
export const ThreadRow = memo(function ThreadRow(props: ThreadRowProps) {
  const { id, index, total, top, content, tools, isCursor, isOpen, isSelected } = props;
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
      <RowText {...props} />
      <span className="row-actions" aria-hidden="true">
        {tools.map((offer) => <RowAction key={offer.id} offer={offer} />)}
      </span>
    </div>
  );
});

function RowText({ content, marks, marked }: ThreadRowProps) {
  return (
    <span className="row-text">
      <RowHead content={content} />
      <span className="row-line">
        <span className="row-subject">{marked?.subject ?? content.subject}</span>
        {content.hasAttachment && <Icon name="attach" className="row-sign" />}
        {marks.map((offer) => <RowAction key={offer.id} offer={offer} className={`row-${offer.id}`} />)}
      </span>
      <span className="row-line row-last">
        <span className="row-preview">{marked?.preview ?? content.preview}</span>
        {content.notes.map((note) => <span key={note} className="row-account">{note}</span>)}
      </span>
    </span>
  );
}

function RowHead({ content }: { content: RowContent }) {
  return (
    <span className="row-line">
      {content.isUnread && <span className="row-dot" />}
      {content.warning && <WarningMark warning={content.warning} />}
      <span className="row-who">{content.who}</span>
      {content.messages > 1 && <span className="row-count">{count(content.messages)}</span>}
      {content.draft && <span className="row-draft">Draft</span>}
      <time className="row-time" dateTime={content.at}>{shortTime(content.at)}</time>
    </span>
  );
}

function RowAction({ offer, className }: { offer: Offer; className?: string }) {
  const { id, icon = "more", isOn, problem } = offer;
  return (
    <span
      className={className}
      data-action={id}
      title={titleOf(offer)}
      aria-disabled={problem ? true : undefined}
    >
      <Icon name={icon} isFilled={isOn ?? false} />
    </span>
  );
}

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
