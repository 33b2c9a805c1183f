import { useId, useState } from "react";
import { downloadURL } from "../../jmap/blobs.ts";
import { words } from "../../jmap/errors.ts";
import type { Address, EmailHeader } from "../../jmap/types.ts";
import type { TrustedSender } from "../../jmap/vendor.ts";
import { isStarred, isUnread } from "../../store/actions.ts";
import { useApp } from "../../store/app.ts";
import type { Conversation, OpenMessage } from "../../store/conversation.ts";
import { counted, displayName, fullTime, listed, shortTime, size } from "../../store/words.ts";
import { MailFrame } from "../../mail/MailFrame.tsx";
import { Avatar } from "../../ui/Avatar.tsx";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { useMeasures } from "../../ui/layout.ts";
import { MenuButton, type MenuItem } from "../../ui/Menu.tsx";
import { Banner, FailedState, Spinner } from "../../ui/states.tsx";
import { useIsDark } from "../../ui/theme.ts";
import { openComposer } from "../composer/open.tsx";
import { Attachments } from "./Attachments.tsx";

interface MessageProps {
  conversation: Conversation;
  email: EmailHeader;
  onLink: (link: string | null) => void;
}

/** One message, folded to a line or unfolded. */
export function Message({ conversation, email, onLink }: MessageProps) {
  const app = useApp();
  const id = useId();
  const isOpen = conversation.open.has(email.id);
  const message = conversation.messages.get(email.id);
  const problem = conversation.problems.get(email.id);
  const from = email.from?.[0];
  const name = from ? displayName(from) : "No sender";
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
              {isUnread(email) && <span className="row-dot" />}
              <strong>{name}</strong>
              <time className="message-time" dateTime={email.receivedAt} title={fullTime(email.receivedAt)}>
                {email.hasAttachment && !isOpen && <Icon name="attach" />}
                {shortTime(email.receivedAt)}
              </time>
            </span>
            <span className="message-sub">
              {isOpen
                ? [from && from.email !== name ? from.email : "", toLine(email, app.ownAddresses)].join(" ")
                  .trim()
                : email.preview}
            </span>
          </span>
        </button>
        {isOpen && (
          <span className="message-tools">
            <IconButton
              icon="star"
              label={isStarred(email) ? "Remove star from this message" : "Star this message"}
              className={isStarred(email) ? "starred" : ""}
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
          {problem
            ? (
              <FailedState
                title="The message could not be opened"
                reason={problem}
                retry={() => conversation.retry(email.id)}
              />
            )
            : message
            ? <Body conversation={conversation} message={message} name={name} onLink={onLink} />
            : (
              <div className="message-loading">
                <Spinner label="Opening the message" />
              </div>
            )}
        </div>
      )}
    </article>
  );
}

function toLine(email: EmailHeader, own: Set<string>): string {
  const names = (email.to ?? []).map((to) => own.has(to.email.toLowerCase()) ? "me" : displayName(to));
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
      label: isUnread(email) ? "Mark as read" : "Mark as unread",
      icon: "mail",
      run: () =>
        app.actions.setSeen(
          [{ accountId, threadId: email.threadId, emails: [email], mailboxId: null }],
          isUnread(email),
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

/** The browser's own download: it asks where to, and shows how far it is. */
function save(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

function Details({ message: { email } }: { message: OpenMessage }) {
  const rows: [string, string][] = [
    ["From", people(email.from)],
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
  return (addresses ?? []).map(({ name, email }) => name ? `${name} <${email}>` : email).join(", ");
}

interface BodyProps {
  conversation: Conversation;
  message: OpenMessage;
  name: string;
  onLink: (link: string | null) => void;
}

function Body({ conversation, message: { email, view }, name, onLink }: BodyProps) {
  const app = useApp();
  const { rem } = useMeasures();
  const isDark = useIsDark(app.preferences);
  const [hasQuote, setQuote] = useState(false);
  const [showsQuote, setShowsQuote] = useState(false);
  return (
    <>
      {view && <Privacy conversation={conversation} view={view} sender={email.from?.[0]?.email ?? null} />}
      {view?.html
        ? (
          <MailFrame
            html={view.html}
            title={`Message from ${name}`}
            rem={rem}
            isDark={isDark}
            showsQuote={showsQuote}
            onQuote={setQuote}
            onLink={onLink}
            onKey={app.shortcuts.handle}
          />
        )
        : <p className="message-none">{view ? "This message has no text." : email.preview}</p>}
      {hasQuote && (
        <Button
          kind="quiet"
          className="quote-button"
          aria-expanded={showsQuote}
          onClick={() => setShowsQuote(!showsQuote)}
        >
          {showsQuote ? "Hide quoted text" : "Show quoted text"}
        </Button>
      )}
      {view?.isTruncated && (
        <Banner icon="info">
          This message is very long, and its end is not shown.{" "}
          <Button
            kind="quiet"
            onClick={() =>
              save(downloadURL(conversation.accountId, email.blobId, "message.eml", "message/rfc822"))}
          >
            Save all of it
          </Button>
        </Banner>
      )}
      <Attachments
        accountId={conversation.accountId}
        parts={email.attachments}
        dangerous={view?.dangerousBlobIds ?? []}
      />
    </>
  );
}

interface PrivacyProps {
  conversation: Conversation;
  view: NonNullable<OpenMessage["view"]>;
  sender: string | null;
}

/** What was held back so that nobody learns that the message was read. */
function Privacy({ conversation, view, sender }: PrivacyProps) {
  const app = useApp();
  const [isBusy, setBusy] = useState(false);
  const { blockedRemoteCount: blocked, removedTrackerCount: trackers } = view;
  if (blocked === 0 && trackers === 0) return null;
  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      app.toasts.problem(words(error));
    }
    setBusy(false);
  };
  const trust = async () => {
    if (!sender) return;
    await app.records<TrustedSender>("TrustedSender").create({ email: sender });
    await conversation.reread();
    app.toasts.show(`Images from ${sender} load from now on. Settings can take it back.`);
  };
  return (
    <Banner icon="shield">
      {trackers > 0 && <span className="privacy-trackers">{counted(trackers, "tracker")} blocked</span>}
      {blocked > 0 && (
        <>
          <span>
            {counted(blocked, "remote image")}{" "}
            not loaded, so that the sender does not learn that you read this.
          </span>
          <span className="privacy-buttons">
            <Button
              kind="quiet"
              disabled={isBusy}
              onClick={() => act(() => conversation.loadRemote(view.id))}
            >
              Load remote images
            </Button>
            {sender && (
              <Button kind="quiet" disabled={isBusy} onClick={() => act(trust)}>Always for {sender}</Button>
            )}
          </span>
        </>
      )}
    </Banner>
  );
}
