import type { ReactNode } from "react";
import { ActionButtons, WordButtons } from "../../actions/ActionButtons.tsx";
import { CONVERSATIONS, SORTING } from "../../actions/conversation.ts";
import { FOLDER } from "../../actions/folder.ts";
import { folderSubject } from "../../actions/folderSubject.ts";
import type { Desk } from "../../actions/goOn.ts";
import { KEEPING } from "../../actions/keeping.ts";
import { CORRECTING, SELECTION } from "../../actions/list.ts";
import { menuItems } from "../../actions/offers.ts";
import { useApp } from "../../store/app.ts";
import { categoryTitle } from "../../store/categories.ts";
import type { ListState } from "../../store/listState.ts";
import { useObservable, useValue } from "../../base/observable.ts";
import { type Scope, totalIn } from "../../store/scope.ts";
import type { Snippets } from "../../store/snippets.ts";
import { count, counted } from "../../store/words.ts";
import { useMeasures } from "../../ui/layout.ts";
import { MenuButton } from "../../ui/Menu.tsx";
import { EmptyState, FailedState, Progress } from "../../ui/states.tsx";
import { useLate } from "../../ui/useLate.ts";
import { selectionSubject } from "./selectionSubject.ts";
import { OlderMailSections } from "./OlderMail.tsx";
import { ThreadListView } from "./ThreadListView.tsx";

interface ThreadPaneProps {
  desk: Desk;
  snippets: Snippets | null;
  /** The program has not answered yet. */
  isWaiting: boolean;
  /** The controls above the list: menu button, search, new message. */
  menu: ReactNode;
  compose: ReactNode;
  search: ReactNode;
  /** The search is not limited to a mailbox. */
  isEverywhere: boolean;
  /** Looks for the words that were read as filters; null where there are none. */
  onWords: (() => void) | null;
}

/** A list with its title, its tools and its keys. */
export function ThreadPane(props: ThreadPaneProps) {
  const { desk, snippets, isWaiting, menu, compose, search } = props;
  const app = useApp();
  const { state } = desk;
  const { list, scope } = state;
  useObservable(state);
  useObservable(list);
  const isLate = useLate(isWaiting);
  const isSelecting = state.selected.size > 0;
  const title = snippets ? "Search results" : scope.title;
  const { layout, isLow } = useMeasures();
  // The field already shows the search.
  const isTitleSeen = !(snippets && layout === "medium" && isLow);
  return (
    <section className="thread-pane" aria-label="Conversations">
      <header className={`pane-header ${isSelecting ? "pane-selecting" : ""}`}>
        {search}
        {isSelecting ? <SelectionBar desk={desk} /> : (
          <div className="pane-title">
            {menu}
            <h1 className={isTitleSeen ? undefined : "hidden"}>{title}</h1>
            <span className="pane-count">{list.status === "ready" ? count(list.total) : ""}</span>
            <ActionButtons actions={CORRECTING} subject={{ app, targets: [] }} place="header" />
            {compose}
          </div>
        )}
        {isLate ? <WaitingLine /> : menu && <SyncLine state={state} />}
      </header>
      <p className="hidden" role="status">
        {isSelecting ? `${count(state.all ? list.total : state.selected.size)} selected` : ""}
        {snippets && list.status === "ready" ? `${counted(list.total, "conversation")} found` : ""}
      </p>
      {!snippets && list.total > 0 && <Emptying scope={scope} />}
      <Content {...props} />
      {snippets && (list.status === "ready" || list.total > 0) && <OlderMailSections desk={desk} />}
    </section>
  );
}

/** Above what is in Trash or Spam. */
function Emptying({ scope }: { scope: Scope }) {
  const app = useApp();
  if (scope.role !== "trash" && scope.role !== "junk") return null;
  const subject = folderSubject(app, ["mail", scope.accountId, scope.mailboxId]);
  return (
    <div className="emptying">
      <span>{counted(totalIn(app, scope), "message")}</span>
      <WordButtons actions={FOLDER} subject={subject} place="emptying" kind="quiet" />
    </div>
  );
}

function Content({ desk, snippets, isEverywhere, onWords }: ThreadPaneProps) {
  const { list, scope } = desk.state;
  if (list.status === "failed") {
    return (
      <FailedState
        title={snippets ? "The search failed" : "The list could not be loaded"}
        reason={list.problem ?? ""}
        retry={() => list.refresh()}
      />
    );
  }
  if (list.status === "ready" && list.total === 0) {
    return snippets
      ? <NoResults isEverywhere={isEverywhere} onWords={onWords} />
      : <Nothing state={desk.state} />;
  }
  return <ThreadListView key={JSON.stringify(scope.sources)} desk={desk} snippets={snippets} />;
}

/** In the place of the progress of a sync, so that nothing moves. */
function WaitingLine() {
  return (
    <div className="sync-line">
      <Progress label="Loading conversations" done={0} total={null} />
    </div>
  );
}

/** Sync progress, if the sidebar that shows it is hidden. It does not move other content. */
function SyncLine({ state }: { state: ListState }) {
  const app = useApp();
  const isReachable = useValue(app.isReachable);
  const busy = useObservable(app.syncStatus).list.find((status) =>
    status.phase === "syncing" && state.scope.sources.some((source) => source.accountId === status.id)
  );
  if (!busy || !isReachable) return null;
  return (
    <div className="sync-line">
      <Progress
        label={`Getting mail for ${app.account(busy.id)?.name ?? "an account"}`}
        done={busy.progress?.done ?? 0}
        total={busy.progress?.total ?? null}
      />
    </div>
  );
}

function SelectionBar({ desk }: { desk: Desk }) {
  const app = useApp();
  useObservable(app.emails);
  const { state } = desk;
  useObservable(state.list);
  const subject = selectionSubject(app, desk);
  const { list: { total }, all, selected } = state;
  return (
    <div className="pane-title" role="toolbar" aria-label="Selected conversations">
      <ActionButtons actions={SELECTION} subject={subject} place="selection" />
      <h1 className="pane-selected">{count(all ? total : selected.size)} selected</h1>
      <span className="pane-tools">
        <ActionButtons actions={[...SELECTION, ...CONVERSATIONS]} subject={subject} place="bar" />
        <MenuButton
          label="More for the selection"
          items={[
            ...menuItems([...CONVERSATIONS, ...SORTING], subject, "barMenu"),
            ...menuItems(KEEPING, subject, "barMenu"),
          ]}
        />
      </span>
    </div>
  );
}

const NOTHING: Record<string, [title: string, text: string]> = {
  inbox: ["Your inbox is empty", "New mail will appear here."],
  flagged: ["No starred messages", "Star a message to find it here."],
  snoozed: ["Nothing is snoozed", "Snoozed conversations are kept here until they return to the inbox."],
  drafts: ["No drafts", "Messages you start writing are kept here."],
  sent: ["No sent messages yet", "Messages you send appear here."],
  archive: ["The archive is empty", "Messages you archive are kept here."],
  junk: ["No spam", "Messages marked as spam are kept here."],
  trash: ["The trash is empty", "Deleted messages stay here for a while."],
};

function NoResults({ isEverywhere, onWords }: Pick<ThreadPaneProps, "isEverywhere" | "onWords">) {
  return (
    <EmptyState
      icon="search"
      title="No results"
      text={isEverywhere ? "Try fewer words." : "Try fewer words, or search all mail."}
      {...(onWords && { action: { label: "Search without filters", run: onWords } })}
    />
  );
}

function Nothing({ state }: { state: ListState }) {
  const app = useApp();
  useObservable(app.syncStatus);
  const category = categoryTitle(state.scope.category ?? "");
  if (category) {
    return <EmptyState icon="tag" title={`No messages in ${category}`} text="All your mail is under All." />;
  }
  const isComing = app.syncStatus.list.some((status) =>
    (status.phase === "syncing" || status.phase === "connecting") &&
    state.scope.sources.some((source) => source.accountId === status.id)
  );
  if (isComing) {
    return (
      <EmptyState
        icon="refresh"
        title="Your mail is loading"
        text="The newest messages appear here first."
      />
    );
  }
  const [title, text] = NOTHING[state.scope.role ?? ""] ??
    ["No messages here", "Move messages here to keep them together."];
  return <EmptyState icon="inbox" title={title} text={text} />;
}
