import { Fragment, useId, useState } from "react";
import { ActionButtons } from "../../actions/ActionButtons.tsx";
import { MESSAGE } from "../../actions/message.ts";
import { menuItems } from "../../actions/offers.ts";
import type { EmailHeader } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import type { Conversation } from "../../store/conversation.ts";
import { isUnread } from "../../store/target.ts";
import {
  count,
  displayName,
  fullTime,
  inOrder,
  listed,
  senderWarning,
  shortTime,
} from "../../store/words.ts";
import { Avatar } from "../../ui/Avatar.tsx";
import { Breakable } from "../../ui/Breakable.tsx";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { MenuButton } from "../../ui/Menu.tsx";
import { FailedState, Hidden } from "../../ui/states.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";
import { openComposer } from "../composer/open.tsx";
import { Body } from "./Body.tsx";
import { MessageDetails } from "./MessageDetails.tsx";
import { messageSubject } from "./messageSubject.ts";
import { SenderNotes } from "./SenderNotes.tsx";
import { asAddress, useMessageMenus } from "./useMessageMenus.tsx";

/** So many senders are shown. */
const MOST_SENDERS = 10;

interface MessageProps {
  conversation: Conversation;
  email: EmailHeader;
}

interface PartProps extends MessageProps {
  /** What the ids of its parts begin with. */
  id: string;
  isOpen: boolean;
}

/** One message, folded to a line or unfolded. */
export function Message(
  { conversation, email, onLink }: MessageProps & { onLink: (link: string | null) => void },
) {
  const id = useId();
  const isOpen = conversation.open.has(email.id);
  const part = { conversation, email, id, isOpen };
  const { onContextMenu, menus } = useMessageMenus(conversation, email);
  return (
    <article className={`message ${isOpen ? "message-open" : ""}`} aria-labelledby={`${id}-from`}>
      <header className="message-header" onContextMenu={onContextMenu}>
        <Fold {...part} />
        {email.keywords["$draft"] && <WriteOn {...part} />}
        {isOpen && <Tools conversation={conversation} email={email} />}
      </header>
      {isOpen && <Content {...part} onLink={onLink} />}
      {menus}
    </article>
  );
}

function nameOf(email: EmailHeader): string {
  return some((email.from ?? []).map(displayName)) || "No sender";
}

/** The addresses of those whose names are shown. */
function addressesOf(email: EmailHeader): string[] {
  const from = email.from ?? [];
  return from.some((one) => displayName(one) !== one.email) ? from.map((one) => one.email) : [];
}

/** Each sender is named: a second one must not hide behind the first. */
function some(names: string[]): string {
  const more = names.length - MOST_SENDERS;
  return [...names.slice(0, MOST_SENDERS), ...(more > 0 ? [`${count(more)} more`] : [])].join(", ");
}

/** Who wrote it and when, which folds and unfolds it. */
function Fold({ conversation, email, id, isOpen }: PartProps) {
  const app = useApp();
  const from = email.from?.[0];
  const name = nameOf(email);
  return (
    <button
      type="button"
      className="message-fold"
      aria-expanded={isOpen}
      aria-controls={isOpen ? `${id}-body` : undefined}
      onClick={() => conversation.toggle(email.id)}
    >
      <Avatar name={name} email={from?.email ?? ""} />
      <span className="message-who">
        <From email={email} id={id} isOpen={isOpen} />
        <span className="message-sub">
          {isOpen
            ? (
              <>
                {addressesOf(email).slice(0, MOST_SENDERS).map((address, index) => (
                  <Fragment key={index}>
                    {index > 0 && ", "}
                    <span {...asAddress({ name: null, email: address })}>
                      <Breakable address={address} />
                    </span>
                  </Fragment>
                ))} <span>{toLine(email, app.ownAddresses)}</span>
              </>
            )
            : inOrder(email.preview)}
        </span>
      </span>
    </button>
  );
}

function From({ email, id, isOpen }: Omit<PartProps, "conversation">) {
  const warning = senderWarning(email);
  return (
    <span className="message-from" id={`${id}-from`}>
      {isUnread(email) && (
        <>
          <span className="row-dot" />
          <Hidden>Unread:</Hidden>
        </>
      )}
      {email.keywords["$draft"] && <span className="row-draft">Draft</span>}
      {warning && <WarningMark warning={warning} />}
      <strong>{nameOf(email)}</strong>
      <time className="message-time" dateTime={email.receivedAt} title={fullTime(email.receivedAt)}>
        {email.hasAttachment && !isOpen && (
          <>
            <Icon name="attach" />
            <Hidden>with attachment</Hidden>
          </>
        )}
        {shortTime(email.receivedAt)}
      </time>
    </span>
  );
}

function toLine(email: EmailHeader, own: Set<string>): string {
  const to = email.to ?? [];
  const names = to.map((to, index) =>
    index > 2 ? "" : own.has(to.email.toLowerCase()) ? "me" : displayName(to)
  );
  return names.length > 0 ? `to ${listed(names)}` : "";
}

function WriteOn({ conversation: { accountId }, email }: MessageProps) {
  const app = useApp();
  const write = () => openComposer(app, { mode: "new", accountId, draftEmailId: email.id });
  return <Button kind="quiet" icon="compose" onClick={write}>Continue writing</Button>;
}

/** The actions of a message, and the details shown by its menu. */
function Tools({ conversation, email }: MessageProps) {
  const app = useApp();
  const [isShown, setShown] = useState(false);
  const message = conversation.messages.get(email.id);
  const details = { isShown, toggle: () => setShown(!isShown) };
  const subject = messageSubject(app, conversation, email, details);
  return (
    <span className="message-tools">
      <ActionButtons actions={MESSAGE} subject={subject} place="message" />
      <MenuButton label="More for this message" items={menuItems(MESSAGE, subject, "messageMenu")} />
      {isShown && message && <MessageDetails email={message.email} />}
    </span>
  );
}

function Content(
  { conversation, email, id, onLink }: PartProps & { onLink: (link: string | null) => void },
) {
  const message = conversation.messages.get(email.id);
  const problem = conversation.problems.get(email.id);
  return (
    <div className="message-body" id={`${id}-body`}>
      <SenderNotes email={email} whole={message?.email} />
      {problem
        ? (
          <FailedState
            title="The message could not be opened"
            reason={problem}
            retry={() => conversation.retry(email.id)}
          />
        )
        : <Body conversation={conversation} message={message} name={nameOf(email)} onLink={onLink} />}
    </div>
  );
}
