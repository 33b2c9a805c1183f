import "./conversation.css";
import "./messageBody.css";
import "./print.css";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { ActionButtons, WordButtons } from "../../actions/ActionButtons.tsx";
import { CONVERSATION, LOOKING, SORTING } from "../../actions/conversation.ts";
import type { Desk } from "../../actions/goOn.ts";
import { LEAVING } from "../../actions/list.ts";
import { THROUGH } from "../../actions/reading.ts";
import { WRITING } from "../../actions/message.ts";
import { useCommands } from "../../actions/commands.ts";
import { folderTint } from "../../actions/folderIcon.ts";
import { commands, menuItems, shortcuts, takeNamed } from "../../actions/offers.ts";
import { useObservable } from "../../base/observable.ts";
import { useShortcuts } from "../../base/shortcuts.ts";
import type { EmailHeader, Id } from "../../jmap/types.ts";
import { type App, useApp } from "../../store/app.ts";
import { Conversation } from "../../store/conversation.ts";
import { rowKey } from "../../store/rows.ts";
import { looksOf } from "../../store/folderLooks.ts";
import { mailboxOf, mailboxTitle } from "../../store/scope.ts";
import { useReading } from "../../store/searchWords.ts";
import { useThemeChoice } from "../../store/themeChoice.ts";
import { useSeen } from "../../store/useSeen.ts";
import { subjectOf } from "../../store/words.ts";
import { markedPieces } from "../../mail/marks.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { MenuButton } from "../../ui/Menu.tsx";
import { EmptyState, FailedState, Spinner } from "../../ui/states.tsx";
import { useIsDark } from "../../ui/theme.ts";
import { Messages } from "./Messages.tsx";
import { messageIn, searchedFor } from "./messageLink.ts";
import { messageSubject } from "./messageSubject.ts";
import { Reader } from "./reader.ts";
import { ReminderNote } from "./ReminderNote.tsx";
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
        <EmptyState
          icon="mail"
          title="This conversation is gone"
          text="It was moved or deleted elsewhere."
          action={{ label: "Back to the list", run: desk.back }}
        />
      )}
      {!isFailed && !isGone && <Reading conversation={conversation} desk={desk} heading={heading} />}
    </section>
  );
}

/** The conversation, loaded again whenever anything of it may have changed. */
function useConversation(accountId: Id, threadId: Id): Conversation {
  const app = useApp();
  const conversation = useMemo(
    () => new Conversation(app, accountId, threadId, { wanted: messageIn(app.router.place) }),
    [app, accountId, threadId],
  );
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
  const app = useApp();
  const [link, setLink] = useState<string | null>(null);
  const { accountId, threadId, emails } = conversation;
  const newest = emails.at(-1);
  const pane = useRef<HTMLDivElement>(null);
  useReader(pane, conversation, desk);
  // Beside the list its title is the page's heading; alone this is.
  const Heading = desk.isNarrow ? "h1" : "h2";
  return (
    <>
      <Toolbar desk={desk} conversation={conversation} />
      <div ref={pane} className="conversation-scroll">
        <header className="conversation-header">
          <Heading ref={heading} tabIndex={-1}>
            {newest && <MarkedSubject subject={subjectOf(emails[0] ?? newest)} />}
          </Heading>
          <Labels accountId={accountId} emails={emails} />
        </header>
        <ReminderNote accountId={accountId} emails={emails} />
        <Summary accountId={accountId} threadId={threadId} emails={emails.map(({ id }) => id).join(" ")} />
        {newest
          ? (
            <Messages
              key={threadId}
              conversation={conversation}
              onLink={setLink}
              onArchive={() =>
                takeNamed(CONVERSATION, "archive", subjectIn(app, desk, conversation), "toolbar")}
            />
          )
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

/** The subject, with what was searched for. */
function MarkedSubject({ subject }: { subject: string }) {
  const app = useApp();
  const { marks } = useReading(app.searchWords, searchedFor(app.router.place));
  return (
    <>
      {markedPieces(subject, marks).map(({ text, isMarked }, index) =>
        isMarked ? <mark key={index}>{text}</mark> : text
      )}
    </>
  );
}

/** The keys that lead through the messages, and from the last to the next conversation. */
function useReader(pane: RefObject<HTMLElement>, conversation: Conversation, desk: Desk): void {
  const app = useApp();
  const goOn = () => {
    const row = desk.state.move(1);
    if (row && rowKey(row) !== desk.openKey) desk.open(row);
  };
  const subject = (event: KeyboardEvent) =>
    pane.current && {
      app,
      targets: [],
      event,
      reader: new Reader(pane.current, (id) => conversation.toggle(id), goOn),
    };
  useShortcuts(app.shortcuts, "Conversation", shortcuts(THROUGH, subject));
}

/** Everywhere that any of its messages is. */
function Labels({ accountId, emails }: { accountId: Id; emails: EmailHeader[] }) {
  const app = useApp();
  useObservable(app.preferences);
  const account = app.account(accountId);
  const mailboxes = (account?.mailboxes.list ?? [])
    .filter(({ id }) => emails.some(({ mailboxIds }) => mailboxIds[id]));
  return (
    <ul className="labels" aria-label="Folders and labels of this conversation">
      {mailboxes.map((mailbox) => (
        <li key={mailbox.id} className={folderTint(looksOf(app, accountId, mailbox).color)}>
          {mailboxTitle(mailbox)}
        </li>
      ))}
      {app.accounts.length > 1 && account && (
        <li>
          <Breakable address={account.name} />
        </li>
      )}
    </ul>
  );
}

/** The conversation as actions take it. */
function subjectIn(app: App, desk: Desk, conversation: Conversation, isDark = false) {
  const { accountId, threadId, emails } = conversation;
  const target = { accountId, threadId, emails, mailboxId: mailboxOf(app, desk.state.scope, accountId) };
  return { app, desk, conversation, isDark, targets: [target] };
}

function Toolbar({ desk, conversation }: { desk: Desk; conversation: Conversation }) {
  const app = useApp();
  const isDark = useIsDark(useThemeChoice(app));
  const subject = subjectIn(app, desk, conversation, isDark);
  useShortcuts(app.shortcuts, "Conversation", shortcuts(LOOKING, () => subject));
  useCommands(app, () => commands([...SORTING, ...LOOKING], subject));
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
