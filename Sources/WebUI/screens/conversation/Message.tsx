import { useId, useRef, useState } from "react";
import { ActionButtons } from "../../actions/ActionButtons.tsx";
import { useCommands } from "../../actions/commands.ts";
import { MESSAGE, type MessageSubject, OPENED } from "../../actions/message.ts";
import { commands, menuItems, type Offer } from "../../actions/offers.ts";
import { RULING } from "../../actions/ruling.ts";
import { downloadURL } from "../../jmap/blobs.ts";
import type { EmailHeader } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import type { Conversation } from "../../store/conversation.ts";
import { isUnread } from "../../store/target.ts";
import { count, displayName, fullTime, inOrder, senderWarning, shortTime } from "../../store/words.ts";
import { Avatar } from "../../ui/Avatar.tsx";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { MenuButton } from "../../ui/Menu.tsx";
import { FailedState, Hidden } from "../../ui/states.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";
import { openComposer } from "../composer/open.tsx";
import { Addressing } from "./Addressing.tsx";
import { Body } from "./Body.tsx";
import { InvitationCard } from "./InvitationCard.tsx";
import { MailingList } from "./MailingList.tsx";
import { MessageDetails } from "./MessageDetails.tsx";
import { messageSubject } from "./messageSubject.ts";
import { printMessage } from "./printMessage.ts";
import { SenderNotes } from "./SenderNotes.tsx";
import { SourceDialog } from "./SourceDialog.tsx";
import { useInvitation } from "./useInvitation.ts";
import { useMessageMenus } from "./useMessageMenus.tsx";
import { useUnsubscription } from "./useUnsubscription.ts";

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
  return (
    <article
      className={`message ${isOpen ? "message-open" : ""}`}
      aria-labelledby={`${id}-from`}
      tabIndex={-1}
      data-email={email.id}
    >
      {isOpen ? <OpenHeader {...part} /> : <FoldedHeader {...part} />}
      {isOpen && <Content {...part} onLink={onLink} />}
    </article>
  );
}

function FoldedHeader(part: PartProps) {
  const { conversation, email } = part;
  const app = useApp();
  const { onContextMenu, menus } = useMessageMenus(() => messageSubject(app, conversation, email));
  return (
    <header className="message-header" onContextMenu={onContextMenu}>
      <Fold {...part} />
      {email.keywords["$draft"] && <WriteOn {...part} />}
      {menus}
    </header>
  );
}

/** Who wrote it and to whom, with its actions, and on demand all that its header says. */
function OpenHeader(part: PartProps) {
  const { conversation, email } = part;
  const app = useApp();
  const header = useRef<HTMLElement>(null);
  const [hasDetails, setDetails] = useState(false);
  const [hasSource, setSource] = useState(false);
  const message = conversation.messages.get(email.id);
  const own = app.ownAddresses;
  const listed = useUnsubscription(conversation.accountId, message?.email);
  const subject = messageSubject(app, conversation, email, {
    hasDetails,
    toggleDetails: () => setDetails(!hasDetails),
    showSource: () => setSource(true),
    print: () => void printMessage(header.current?.closest(".message") ?? null, app.toasts),
  }, listed.leave);
  const { onContextMenu, menus } = useMessageMenus(() => subject);
  const isNewest = conversation.emails.at(-1)?.id === email.id;
  useCommands(app, () => isNewest ? [...commands(OPENED, subject), ...rulesAbout(email, subject)] : []);
  return (
    <header ref={header} className="message-header" onContextMenu={onContextMenu}>
      <Fold {...part} />
      {email.keywords["$draft"] && <WriteOn {...part} />}
      <span className="message-tools">
        <ActionButtons actions={MESSAGE} subject={subject} place="message" />
        <MenuButton label="More for this message" items={menuItems(MESSAGE, subject, "messageMenu")} />
      </span>
      <Addressing email={email} whole={message?.email} own={own} subject={subject}>
        <MailingList listed={listed} subject={subject} />
      </Addressing>
      {hasDetails && message && (
        <MessageDetails
          email={message.email}
          isOwn={(email.from ?? []).some((from) => own.has(from.email.toLowerCase()))}
        />
      )}
      {hasSource && message && (
        <SourceDialog
          address={downloadURL(conversation.accountId, message.email.blobId, "message.eml", "message/rfc822")}
          onSave={() => subject.save?.()}
          onClose={() => setSource(false)}
        />
      )}
      {menus}
    </header>
  );
}

/** It is not in sight whom a command would block. */
function rulesAbout(email: EmailHeader, subject: MessageSubject): Offer[] {
  const about = email.from?.[0]?.email ?? "";
  return commands(RULING, subject).map((one) => ({ ...one, about }));
}

function nameOf(email: EmailHeader): string {
  return some((email.from ?? []).map(displayName)) || "No sender";
}

/** Each sender is named: a second one must not hide behind the first. */
function some(names: string[]): string {
  const more = names.length - MOST_SENDERS;
  return [...names.slice(0, MOST_SENDERS), ...(more > 0 ? [`${count(more)} more`] : [])].join(", ");
}

/** Who wrote it and when, which folds and unfolds it. */
function Fold({ conversation, email, id, isOpen }: PartProps) {
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
        {!isOpen && <span className="message-sub">{inOrder(email.preview)}</span>}
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

function WriteOn({ conversation: { accountId, emails }, email }: MessageProps) {
  const app = useApp();
  const below = emails.filter(({ keywords }) => !keywords["$draft"]).at(-1)?.id;
  const write = () => openComposer(app, { mode: "new", accountId, draftEmailId: email.id, below });
  return <Button kind="quiet" icon="compose" onClick={write}>Continue writing</Button>;
}

function Content(
  { conversation, email, id, onLink }: PartProps & { onLink: (link: string | null) => void },
) {
  const message = conversation.messages.get(email.id);
  const problem = conversation.problems.get(email.id);
  const invited = useInvitation(conversation.accountId, message?.email);
  return (
    <div className="message-body" id={`${id}-body`}>
      <SenderNotes email={email} whole={message?.email} />
      {invited?.invitation && (
        <InvitationCard invited={invited} invitation={invited.invitation} email={email} />
      )}
      {problem
        ? (
          <FailedState
            title="The message could not be opened"
            reason={problem}
            retry={() => conversation.retry(email.id)}
          />
        )
        : (
          <Body
            conversation={conversation}
            message={message}
            name={nameOf(email)}
            calendar={invited?.invitation?.blobId ?? null}
            onLink={onLink}
          />
        )}
    </div>
  );
}
