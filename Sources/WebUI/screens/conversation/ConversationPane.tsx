import "./conversation.css";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Id } from "../../jmap/types.ts";
import { isStarred, isUnread, type Target } from "../../store/target.ts";
import { useApp } from "../../store/app.ts";
import { CATEGORIES, models } from "../../store/categories.ts";
import { Conversation, PART } from "../../store/conversation.ts";
import type { ListState } from "../../store/listState.ts";
import { useObservable } from "../../base/observable.ts";
import { type Row, rowKey } from "../../store/rows.ts";
import { mailboxOf, mailboxTitle } from "../../store/scope.ts";
import { count, counted, subjectOf } from "../../store/words.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { Button, IconButton } from "../../ui/Button.tsx";
import type { Layout } from "../../ui/layout.ts";
import { MenuButton, type MenuItem } from "../../ui/Menu.tsx";
import { useShortcuts } from "../../base/shortcuts.ts";
import { FailedState, Spinner } from "../../ui/states.tsx";
import { openComposer } from "../composer/open.tsx";
import { goOn, type Work } from "../../actions/goOn.ts";
import { useSeen } from "../../store/useSeen.ts";
import { Message } from "./Message.tsx";
import { Summary } from "./Summary.tsx";

interface ConversationPaneProps {
  accountId: Id;
  threadId: Id;
  state: ListState;
  layout: Layout;
  onBack: () => void;
  onOpen: (row: Row) => void;
  onMove: (targets: Target[]) => void;
}

/** A conversation: its subject, what can be done with it, and its messages. */
export function ConversationPane(props: ConversationPaneProps) {
  const { accountId, threadId, layout, onBack } = props;
  const app = useApp();
  const conversation = useMemo(() => new Conversation(app, accountId, threadId), [app, accountId, threadId]);
  useObservable(conversation);
  useObservable(app.emails);
  const [link, setLink] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    conversation.load();
    return app.onChange((changed, types) => {
      if (changed === accountId && "Thread" in types || changed === accountId && "Email" in types) {
        conversation.load();
      }
    });
  }, [app, conversation, accountId]);
  // On a phone the list is gone, and elsewhere the button of the conversation before, and the focus with it.
  const hasEmails = conversation.emails.length > 0;
  useSeen(props.state, hasEmails);
  useEffect(() => {
    if (hasEmails && document.activeElement === document.body) {
      heading.current?.focus({ preventScroll: true });
    }
  }, [layout, hasEmails]);

  const emails = conversation.emails;
  const newest = emails.at(-1);
  // Beside the list its title is the page's heading; alone this is.
  const Heading = layout === "narrow" ? "h1" : "h2";
  const subject = newest ? subjectOf(emails[0] ?? newest) : "";
  if (conversation.status === "failed") {
    return (
      <section className="conversation" aria-label="Conversation">
        <FailedState
          title="The conversation could not be loaded"
          reason={conversation.problem ?? ""}
          retry={() => conversation.load()}
        />
      </section>
    );
  }
  if (conversation.status === "ready" && emails.length === 0) {
    return (
      <section className="conversation" aria-label="Conversation">
        <FailedState
          title="This conversation is gone"
          reason="It was moved or deleted elsewhere."
          retry={onBack}
        />
      </section>
    );
  }
  return (
    <section className="conversation" aria-label="Conversation">
      <Toolbar {...props} conversation={conversation} />
      <div className="conversation-scroll">
        <header className="conversation-header">
          <Heading ref={heading} tabIndex={-1}>{subject}</Heading>
          <Labels accountId={accountId} mailboxIds={newest?.mailboxIds ?? {}} />
        </header>
        <Summary accountId={accountId} threadId={threadId} emails={emails.map(({ id }) => id).join(" ")} />
        {emails.length === 0
          ? (
            <div className="center">
              <Spinner label="Loading the conversation" />
            </div>
          )
          : <Messages key={threadId} conversation={conversation} onLink={setLink} />}
        {newest && <ReplyBar conversation={conversation} />}
      </div>
      {link && <p className="link-target" aria-hidden="true">{link}</p>}
    </section>
  );
}

function Labels({ accountId, mailboxIds }: { accountId: Id; mailboxIds: Record<Id, true> }) {
  const app = useApp();
  const account = app.account(accountId);
  const mailboxes = (account?.mailboxes.list ?? []).filter((mailbox) => mailboxIds[mailbox.id]);
  return (
    <ul className="labels" aria-label="Mailboxes of this conversation">
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
      `${count(ids.length - conversation.olderCount)} of ${counted(ids.length, "message")} are listed.`,
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

function Toolbar(
  { accountId, threadId, state, layout, conversation, onBack, onOpen, onMove }: ConversationPaneProps & {
    conversation: Conversation;
  },
) {
  const app = useApp();
  const { actions } = app;
  const emails = conversation.emails;
  const target: Target = { accountId, threadId, emails, mailboxId: mailboxOf(app, state.scope, accountId) };
  const isForGood = actions.isForGood([target]);
  const starred = emails.some(isStarred);

  function take(work: Work): void {
    goOn({ state, openKey: rowKey(target), onOpen, onBack }, [target], work, layout === "narrow");
  }
  /** Where a model sorts mail, the person can say that it is wrong. */
  function categoryItems(): MenuItem[] {
    const newest = emails.at(-1);
    if (!newest || !models(app).categories) return [];
    const current = app.categories.get(accountId, newest.id);
    return CATEGORIES.filter(([id]) => id !== current).map(([id, title]) => ({
      label: `This is ${title}`,
      icon: "tag",
      run: () => void app.categories.correct(accountId, [newest.id], id),
    }));
  }
  return (
    <div className="conversation-tools" role="toolbar" aria-label="Conversation">
      {layout === "narrow" && <IconButton icon="back" label="Back to the list" hint="u" onClick={onBack} />}
      {state.scope.role !== "archive" && (
        <IconButton
          icon="archive"
          label="Archive"
          hint="e"
          onClick={() => take((all) => actions.archive(all))}
        />
      )}
      <IconButton
        icon="trash"
        label={isForGood ? "Delete for good" : "Delete"}
        hint="#"
        onClick={() => take((all) => actions.delete(all))}
      />
      <IconButton icon="move" label="Move to mailbox" hint="v" onClick={() => onMove([target])} />
      <IconButton
        icon="star"
        label={starred ? "Remove star" : "Star"}
        hint="s"
        className={starred ? "starred" : ""}
        aria-pressed={starred}
        onClick={() => actions.setFlagged([target], !starred)}
      />
      <MenuButton
        label="More"
        items={[
          {
            label: "Mark as unread",
            icon: "mail",
            hint: "Shift + U",
            run: () => {
              actions.setSeen([target], false);
              onBack();
            },
          },
          {
            label: "Mark as read",
            icon: "mailOpen",
            isDisabled: !emails.some(isUnread),
            run: () => actions.setSeen([target], true),
          },
          { label: "Mark as spam", icon: "spam", hint: "!", run: () => take((all) => actions.junk(all)) },
          ...categoryItems(),
          {
            label: "Unfold all messages",
            icon: "chevronDown",
            isDisabled: conversation.ids.length > 50,
            run: () => conversation.openAll(),
          },
          { label: "Print", icon: "print", hint: "Ctrl + P", run: () => print() },
        ]}
      />
      {layout !== "narrow" && (
        <IconButton
          icon="close"
          label="Close conversation"
          hint="u"
          className="conversation-close"
          onClick={onBack}
        />
      )}
    </div>
  );
}

/** Answers to the newest message. */
function ReplyBar({ conversation }: { conversation: Conversation }) {
  const app = useApp();
  const { accountId } = conversation;
  const newest = conversation.emails.filter((email) => !email.keywords["$draft"]).at(-1);
  const write = (mode: "reply" | "replyAll" | "forward") => {
    if (newest) openComposer(app, { mode, accountId, emailId: newest.id });
  };
  useShortcuts(app.shortcuts, "Conversation", [
    { keys: ["r", "Mod+R"], does: "Reply", run: () => write("reply") },
    { keys: ["a", "Mod+Shift+R"], does: "Reply to all", run: () => write("replyAll") },
    { keys: ["f", "Mod+Shift+F"], does: "Forward", run: () => write("forward") },
  ]);
  return (
    <div className="reply-bar">
      <Button icon="reply" onClick={() => write("reply")}>Reply</Button>
      <Button icon="replyAll" onClick={() => write("replyAll")}>Reply all</Button>
      <Button icon="forward" onClick={() => write("forward")}>Forward</Button>
    </div>
  );
}
