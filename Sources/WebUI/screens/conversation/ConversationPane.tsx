import "./conversation.css";
import "./messageBody.css";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { ActionButtons, WordButtons } from "../../actions/ActionButtons.tsx";
import { CONVERSATION } from "../../actions/conversation.ts";
import type { Desk } from "../../actions/goOn.ts";
import { LEAVING } from "../../actions/list.ts";
import { WRITING } from "../../actions/message.ts";
import { useCommands } from "../../actions/commands.ts";
import { commands, menuItems, shortcuts } from "../../actions/offers.ts";
import { useObservable } from "../../base/observable.ts";
import { useShortcuts } from "../../base/shortcuts.ts";
import type { Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { Conversation, PART } from "../../store/conversation.ts";
import { mailboxOf, mailboxTitle } from "../../store/scope.ts";
import { useSeen } from "../../store/useSeen.ts";
import { count, counted, subjectOf } from "../../store/words.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { MenuButton } from "../../ui/Menu.tsx";
import { FailedState, Spinner } from "../../ui/states.tsx";
import { Message } from "./Message.tsx";
import { messageSubject } from "./messageSubject.ts";
import { Summary } from "./Summary.tsx";

interface ConversationPaneProps {
  accountId: Id;
  threadId: Id;
  desk: Desk;
}

/** A conversation: its subject, actions and messages. */
export function ConversationPane({ accountId, threadId, desk }: ConversationPaneProps) {
  const app = useApp();
  const conversation = useConversation(accountId, threadId);
  useObservable(app.emails);
  const heading = useRef<HTMLHeadingElement>(null);
  const { emails, status, problem } = conversation;
  useSeen(desk.state, emails.length > 0);
  useFocus(heading, desk.isNarrow, emails.length > 0);

  const isFailed = status === "failed";
  const isGone = status === "ready" && emails.length === 0;
  return (
    <section className="conversation" aria-label="Conversation">
      {isFailed && (
        <FailedState
          title="The conversation could not be loaded"
          reason={problem ?? ""}
          retry={() => conversation.load()}
        />
      )}
      {isGone && (
        <FailedState
          title="This conversation is gone"
          reason="It was moved or deleted elsewhere."
          retry={desk.back}
        />
      )}
      {!isFailed && !isGone && <Reading conversation={conversation} desk={desk} heading={heading} />}
    </section>
  );
}

/** The conversation, loaded again whenever anything of it may have changed. */
function useConversation(accountId: Id, threadId: Id): Conversation {
  const app = useApp();
  const conversation = useMemo(() => new Conversation(app, accountId, threadId), [app, accountId, threadId]);
  useEffect(() => {
    conversation.load();
    return app.onChange((changed, types) => {
      if (changed === accountId && ("Thread" in types || "Email" in types)) conversation.load();
    });
  }, [app, conversation, accountId]);
  return useObservable(conversation);
}

/** On a phone the list is gone, and elsewhere the button of the conversation before, and the focus with it. */
function useFocus(heading: RefObject<HTMLHeadingElement>, isNarrow: boolean, hasEmails: boolean): void {
  useEffect(() => {
    if (hasEmails && document.activeElement === document.body) {
      heading.current?.focus({ preventScroll: true });
    }
  }, [isNarrow, hasEmails]);
}

interface ReadingProps {
  conversation: Conversation;
  desk: Desk;
  heading: RefObject<HTMLHeadingElement>;
}

function Reading({ conversation, desk, heading }: ReadingProps) {
  const [link, setLink] = useState<string | null>(null);
  const { accountId, threadId, emails } = conversation;
  const newest = emails.at(-1);
  // Beside the list its title is the page's heading; alone this is.
  const Heading = desk.isNarrow ? "h1" : "h2";
  return (
    <>
      <Toolbar desk={desk} conversation={conversation} />
      <div className="conversation-scroll">
        <header className="conversation-header">
          <Heading ref={heading} tabIndex={-1}>{newest ? subjectOf(emails[0] ?? newest) : ""}</Heading>
          <Labels accountId={accountId} mailboxIds={newest?.mailboxIds ?? {}} />
        </header>
        <Summary accountId={accountId} threadId={threadId} emails={emails.map(({ id }) => id).join(" ")} />
        {newest
          ? <Messages key={threadId} conversation={conversation} onLink={setLink} />
          : (
            <div className="center">
              <Spinner label="Loading the conversation" />
            </div>
          )}
        {newest && <ReplyBar conversation={conversation} />}
      </div>
      {link && <p className="link-target" aria-hidden="true">{link}</p>}
    </>
  );
}

function Labels({ accountId, mailboxIds }: { accountId: Id; mailboxIds: Record<Id, true> }) {
  const app = useApp();
  const account = app.account(accountId);
  const mailboxes = (account?.mailboxes.list ?? []).filter((mailbox) => mailboxIds[mailbox.id]);
  return (
    <ul className="labels" aria-label="Folders and labels of this conversation">
      {mailboxes.map((mailbox) => <li key={mailbox.id}>{mailboxTitle(mailbox)}</li>)}
      {app.accounts.length > 1 && account && (
        <li>
          <Breakable address={account.name} />
        </li>
      )}
    </ul>
  );
}

function Messages(
  { conversation, onLink }: { conversation: Conversation; onLink: (link: string | null) => void },
) {
  const { emails, olderCount, ids } = conversation;
  const list = useRef<HTMLOListElement>(null);
  const isOpen = conversation.open.size > 0;
  const isPlaced = useRef(false);
  // In a long conversation the first open message is far below.
  useEffect(() => {
    const first = list.current?.querySelector<HTMLElement>(".message-open");
    const view = first?.closest(".conversation-scroll");
    if (!first || !view || isPlaced.current) return;
    isPlaced.current = true;
    const below = first.getBoundingClientRect().top - view.getBoundingClientRect().top;
    if (below > view.clientHeight / 2) first.scrollIntoView({ block: "start" });
  }, [isOpen]);
  return (
    <ol ref={list} className="messages" aria-label={counted(ids.length, "message")}>
      {emails.map((email, index) => (
        <li key={email.id}>
          <Message conversation={conversation} email={email} onLink={onLink} />
          {index === 0 && olderCount > 0 && <Older conversation={conversation} />}
        </li>
      ))}
    </ol>
  );
}

/** Stands where messages are not listed yet. */
function Older({ conversation }: { conversation: Conversation }) {
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const { olderCount, ids } = conversation;
  const next = Math.min(PART, olderCount);
  const show = async () => {
    setBusy(true);
    // The button goes with the last of them, and the focus would go with it.
    const after = box.current?.closest("li");
    await conversation.showOlder();
    setBusy(false);
    setTold(
      `Showing ${count(ids.length - conversation.olderCount)} of ${counted(ids.length, "message")}.`,
    );
    if (conversation.olderCount === 0) {
      after?.nextElementSibling?.querySelector<HTMLElement>(".message-fold")?.focus();
    }
  };
  return (
    <div ref={box}>
      <button type="button" className="more-messages" aria-disabled={isBusy} onClick={() => isBusy || show()}>
        Show {counted(next, "older message")}
        {olderCount > next && ` of ${count(olderCount)}`}
      </button>
      <span className="hidden" role="status">{told}</span>
    </div>
  );
}

function Toolbar({ desk, conversation }: { desk: Desk; conversation: Conversation }) {
  const app = useApp();
  const { accountId, threadId, emails } = conversation;
  const target = { accountId, threadId, emails, mailboxId: mailboxOf(app, desk.state.scope, accountId) };
  const subject = { app, desk, conversation, targets: [target] };
  const leave = <ActionButtons actions={LEAVING} subject={subject} place="back" />;
  return (
    <div className="conversation-tools" role="toolbar" aria-label="Conversation">
      {desk.isNarrow && leave}
      <ActionButtons actions={CONVERSATION} subject={subject} place="toolbar" />
      <MenuButton label="More" items={menuItems(CONVERSATION, subject, "menu")} />
      {!desk.isNarrow && leave}
    </div>
  );
}

/** Answers to the newest message. */
function ReplyBar({ conversation }: { conversation: Conversation }) {
  const app = useApp();
  const newest = conversation.emails.filter((email) => !email.keywords["$draft"]).at(-1);
  const subject = newest ? messageSubject(app, conversation, newest) : null;
  useShortcuts(app.shortcuts, "Conversation", shortcuts(WRITING, () => subject));
  useCommands(app, () => subject ? commands(WRITING, subject) : []);
  if (!subject) return null;
  return (
    <div className="reply-bar">
      <WordButtons actions={WRITING} subject={subject} place="replyBar" />
    </div>
  );
}
