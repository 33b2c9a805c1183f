import { memo } from "react";
import type { Offer } from "../../actions/offers.ts";
import { count, shortTime } from "../../store/words.ts";
import { Avatar } from "../../ui/Avatar.tsx";
import { titleOf } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";
import { type RowContent, sentenceOf } from "./rowContent.ts";
import type { RowShape } from "./rowShape.ts";
import { isSameRow, type ThreadRowProps } from "./sameRow.ts";

/**
 * One conversation. Everything that can be done with it is done by the list, which sees whose `data-action`
 * was clicked: an option has no controls in it, and the keyboard has keys and the toolbar for all of them.
 */
export const ThreadRow = memo(function ThreadRow(props: ThreadRowProps) {
  const { id, index, total, top, shape, content, isCursor, isOpen, isSelected } = props;
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
      className={`row row-${shape} ${state}`}
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
        <RowLines {...props} />
      </span>
    </div>
  );
}, isSameRow);

/** One line, two or three, by the shape of the row. */
function RowLines({ shape, content, tools, marks, marked }: ThreadRowProps) {
  const head = <RowHead content={content} />;
  const time = content.returns
    ? (
      <span className="row-time" title={`Returns ${content.returns}`}>
        <Icon name="clock" className="row-sign" /> {content.returns}
      </span>
    )
    : <time className="row-time" dateTime={content.at}>{shortTime(content.at)}</time>;
  const subject = <span className="row-subject">{marked?.subject ?? content.subject}</span>;
  const preview = <span className="row-preview">{marked?.preview ?? content.preview}</span>;
  const notes = content.notes.map((note) => <span key={note} className="row-account">{note}</span>);
  const signs = <RowSigns content={content} tools={tools} marks={marks} />;
  const both = <span className="row-words">{subject} {preview}</span>;
  if (shape === "compact") return <span className="row-line">{head}{both}{notes}{signs}{time}</span>;
  return (
    <>
      <span className="row-line">{head}{shape === "cozy" && notes}{time}</span>
      {shape === "cozy" && <span className="row-line">{both}{signs}</span>}
      {shape === "roomy" && (
        <>
          <span className="row-line">{subject}{signs}</span>
          <span className="row-line">{preview}{notes}</span>
        </>
      )}
      {shape === "tight" && (
        <>
          {subject}
          <span className="row-line">{preview}{signs}</span>
        </>
      )}
    </>
  );
}

function RowHead({ content }: { content: RowContent }) {
  return (
    <span className="row-head">
      {content.isUnread && <span className="row-dot" />}
      {content.warning && <WarningMark warning={content.warning} />}
      <span className="row-who">{content.who}</span>
      {content.messages > 1 && <span className="row-count">{count(content.messages)}</span>}
      {content.draft && <span className="row-draft">Draft</span>}
    </span>
  );
}

/** What stands at the end of a line. Actions are shown beside it, so that they cover neither it nor the date. */
function RowSigns({ content, tools, marks }: Pick<ThreadRowProps, "content" | "tools" | "marks">) {
  return (
    <span className="row-signs">
      {content.hasAttachment && <Icon name="attach" className="row-sign" />}
      {marks.map((offer) => <RowAction key={offer.id} offer={offer} className={`row-${offer.id}`} />)}
      <span className="row-actions" aria-hidden="true">
        {tools.map((offer) => <RowAction key={offer.id} offer={offer} />)}
      </span>
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
export function EmptyRow({ top, shape }: { top: number; shape: RowShape }) {
  return (
    <div className={`row row-${shape} row-empty`} role="presentation" style={{ top: `${top}px` }}>
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
