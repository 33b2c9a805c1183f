import { useId, useState } from "react";
import { downloadURL } from "../../jmap/blobs.ts";
import type { Address, EmailHeader } from "../../jmap/types.ts";
import { isStarred, isUnread } from "../../store/target.ts";
import { useApp } from "../../store/app.ts";
import type { Conversation, OpenMessage } from "../../store/conversation.ts";
import {
  count,
  displayName,
  fullTime,
  inOrder,
  listed,
  nameAndAddress,
  senderWarning,
  shortTime,
  size,
} from "../../store/words.ts";
import { Avatar } from "../../ui/Avatar.tsx";
import { Breakable } from "../../ui/Breakable.tsx";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { MenuButton, type MenuItem } from "../../ui/Menu.tsx";
import { FailedState, Hidden } from "../../ui/states.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";
import { openComposer } from "../composer/open.tsx";
import { Body, save } from "./Body.tsx";
import { SenderNotes } from "./SenderNotes.tsx";

interface MessageProps {
  conversation: Conversation;
  email: EmailHeader;
  onLink: (link: string | null) => void;
}

/** So many people of a field are named. */
const MOST_PEOPLE = 500;

/** One message, folded to a line or unfolded. */
export function Message({ conversation, email, onLink }: MessageProps) {
  const app = useApp();
  const id = useId();
  const isOpen = conversation.open.has(email.id);
  const message = conversation.messages.get(email.id);
  const problem = conversation.problems.get(email.id);
  const from = email.from?.[0];
  const name = from ? displayName(from) : "No sender";
  const isDraft = email.keywords["$draft"] === true;
  const warning = senderWarning(email);
  return (
    <article className={`message ${isOpen ? "message-open" : ""}`} aria-labelledby={`${id}-from`}>
      <header className="message-header">
        <button
          type="button"
          className="message-fold"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-body` : undefined}
          onClick={() => conversation.toggle(email.id)}
        >
          <Avatar name={name} email={from?.email ?? ""} />
          <span className="message-who">
            <span className="message-from" id={`${id}-from`}>
              {isUnread(email) && (
                <>
                  <span className="row-dot" />
                  <Hidden>Unread:</Hidden>
                </>
              )}
              {isDraft && <span className="row-draft">Draft</span>}
              {warning && <WarningMark warning={warning} />}
              <strong>{name}</strong>
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
            <span className="message-sub">
              {isOpen
                ? (
                  <>
                    {from && from.email !== name && <Breakable address={from.email} />}{" "}
                    <span>{toLine(email, app.ownAddresses)}</span>
                  </>
                )
                : inOrder(email.preview)}
            </span>
          </span>
        </button>
        {isDraft && (
          <Button
            kind="quiet"
            icon="compose"
            onClick={() =>
              openComposer(app, { mode: "new", accountId: conversation.accountId, draftEmailId: email.id })}
          >
            Go on writing
          </Button>
        )}
        {isOpen && (
          <span className="message-tools">
            <IconButton
              icon="star"
              label={isStarred(email) ? "Remove star from this message" : "Star this message"}
              className={`message-star ${isStarred(email) ? "starred" : ""}`}
              aria-pressed={isStarred(email)}
              onClick={() =>
                app.actions.flagEmail({ accountId: conversation.accountId, id: email.id }, !isStarred(email))}
            />
            <MessageMenu conversation={conversation} email={email} message={message} />
          </span>
        )}
      </header>
      {isOpen && (
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
            : <Body conversation={conversation} message={message} name={name} onLink={onLink} />}
        </div>
      )}
    </article>
  );
}

function toLine(email: EmailHeader, own: Set<string>): string {
  const to = email.to ?? [];
  const names = to.map((to, index) =>
    index > 2 ? "" : own.has(to.email.toLowerCase()) ? "me" : displayName(to)
  );
  return names.length > 0 ? `to ${listed(names)}` : "";
}

function MessageMenu({ conversation, email, message }: {
  conversation: Conversation;
  email: EmailHeader;
  message: OpenMessage | undefined;
}) {
  const app = useApp();
  const [isDetails, setDetails] = useState(false);
  const { accountId } = conversation;
  const write = (mode: "reply" | "replyAll" | "forward") => () =>
    openComposer(app, { mode, accountId, emailId: email.id });
  const items: MenuItem[] = [
    { label: "Reply", icon: "reply", run: write("reply") },
    { label: "Reply to all", icon: "replyAll", run: write("replyAll") },
    { label: "Forward", icon: "forward", run: write("forward") },
    {
      label: isStarred(email) ? "Remove star" : "Star this message",
      icon: "star",
      run: () => app.actions.flagEmail({ accountId, id: email.id }, !isStarred(email)),
    },
    {
      label: isUnread(email) ? "Mark as read" : "Mark as unread",
      icon: "mail",
      run: () =>
        app.actions.setSeen(
          [{ accountId, threadId: email.threadId, emails: [email], mailboxId: null }],
          isUnread(email),
          false,
          true,
        ),
    },
    { label: isDetails ? "Hide details" : "Show details", icon: "info", run: () => setDetails(!isDetails) },
  ];
  if (message) {
    items.push({
      label: "Save as file",
      icon: "download",
      run: () => save(downloadURL(accountId, message.email.blobId, "message.eml", "message/rfc822")),
    });
  }
  return (
    <>
      <MenuButton label="More for this message" items={items} />
      {isDetails && message && <Details message={message} />}
    </>
  );
}

function Details({ message: { email } }: { message: OpenMessage }) {
  const rows: [string, string][] = [
    ["From", people(email.from)],
    ["Sent by", people(email.sender ?? null)],
    ["Reply to", people(email.replyTo)],
    ["To", people(email.to)],
    ["Cc", people(email.cc)],
    ["Bcc", people(email.bcc)],
    ["Date", fullTime(email.sentAt ?? email.receivedAt)],
    ["Size", size(email.size)],
  ];
  return (
    <dl className="details">
      {rows.filter(([, value]) => value !== "").map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function people(addresses: Address[] | null): string {
  const all = addresses ?? [];
  const shown = all.slice(0, MOST_PEOPLE).map(nameAndAddress);
  return shown.join(", ") +
    (all.length > shown.length ? ` and ${count(all.length - shown.length)} more` : "");
}
