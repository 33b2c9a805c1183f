import { type ReactNode, useEffect, useState } from "react";
import { isStarred, isUnread, type Target } from "../../store/actions.ts";
import { useApp } from "../../store/app.ts";
import { categoryTitle } from "../../store/categories.ts";
import type { ListState } from "../../store/listState.ts";
import { useObservable } from "../../store/observable.ts";
import { type Row, rowKey } from "../../store/rows.ts";
import type { Snippets } from "../../store/snippets.ts";
import { count, counted } from "../../store/words.ts";
import { IconButton } from "../../ui/Button.tsx";
import { type Shortcut, useShortcuts } from "../../ui/shortcuts.ts";
import { EmptyState, FailedState } from "../../ui/states.tsx";
import { ThreadListView } from "./ThreadListView.tsx";

interface ThreadPaneProps {
  state: ListState;
  snippets: Snippets | null;
  openKey: string | null;
  /** What stands above the list: the menu button, the search. */
  menu: ReactNode;
  search: ReactNode;
  onOpen: (row: Row) => void;
  onBack: () => void;
  onMove: (targets: Target[]) => void;
}

/** A list with its title, its tools and its keys. */
export function ThreadPane(props: ThreadPaneProps) {
  const { state, snippets, openKey, menu, search, onOpen } = props;
  const app = useApp();
  const { list, scope } = state;
  useObservable(state);
  useObservable(list);
  useListKeys(props);
  const isSelecting = state.selected.size > 0;
  const title = snippets ? "Search results" : scope.title;
  return (
    <section className="thread-pane" aria-label="Conversations">
      <header className="pane-header">
        {search}
        {isSelecting ? <SelectionBar {...props} /> : (
          <div className="pane-title">
            {menu}
            <h1>{title}</h1>
            <span className="pane-count">{list.status === "ready" ? count(list.total) : ""}</span>
            <IconButton icon="refresh" label="Refresh" onClick={() => app.refresh()} />
          </div>
        )}
      </header>
      <p className="hidden" role="status">
        {isSelecting ? `${count(state.selected.size)} selected` : ""}
        {snippets && list.status === "ready" ? `${counted(list.total, "conversation")} found` : ""}
      </p>
      {list.status === "failed"
        ? (
          <FailedState
            title={snippets ? "The search did not work" : "The list could not be loaded"}
            reason={list.problem ?? ""}
            retry={() => list.refresh()}
          />
        )
        : list.status === "ready" && list.total === 0
        ? <Nothing state={state} isSearch={snippets !== null} />
        : (
          <ThreadListView
            key={JSON.stringify(scope.sources)}
            state={state}
            snippets={snippets}
            openKey={openKey}
            onOpen={onOpen}
          />
        )}
    </section>
  );
}

function SelectionBar({ state, onMove }: ThreadPaneProps) {
  const { actions } = useApp();
  const targets = state.targets();
  const hasUnread = targets.some((target) => target.emails.some(isUnread));
  const allStarred = targets.every((target) => target.emails.some(isStarred));
  const isInTrash = state.scope.role === "trash" || state.scope.role === "junk";
  const done = (work: (targets: Target[]) => void) => () => {
    work(state.targets());
    state.clear();
  };
  return (
    <div className="pane-title" role="toolbar" aria-label="Selected conversations">
      <IconButton icon="close" label="Clear selection" hint="Escape" onClick={() => state.clear()} />
      <h1 className="pane-selected">{count(state.selected.size)} selected</h1>
      <span className="pane-tools">
        {state.scope.role !== "archive" && (
          <IconButton
            icon="archive"
            label="Archive"
            hint="e"
            onClick={done((all) => actions.archive(all))}
          />
        )}
        <IconButton
          icon="trash"
          label={isInTrash ? "Delete for good" : "Delete"}
          hint="#"
          onClick={done((all) => isInTrash ? actions.destroy(all) : actions.trash(all))}
        />
        <IconButton icon="move" label="Move to mailbox" hint="v" onClick={() => onMove(targets)} />
        <IconButton
          icon={hasUnread ? "mailOpen" : "mail"}
          label={hasUnread ? "Mark as read" : "Mark as unread"}
          onClick={done((all) => actions.setSeen(all, hasUnread))}
        />
        <IconButton
          icon="star"
          label={allStarred ? "Remove star" : "Star"}
          hint="s"
          onClick={done((all) => actions.setFlagged(all, !allStarred))}
        />
      </span>
    </div>
  );
}

const NOTHING: Record<string, [title: string, text: string]> = {
  inbox: ["Your inbox is empty", "New mail appears here by itself."],
  flagged: ["Nothing is starred", "Press s, or the star beside a message, to find it here again."],
  drafts: ["There are no drafts", "What you begin to write is kept here."],
  sent: ["Nothing was sent yet", "What you send is listed here."],
  archive: ["The archive is empty", "Press e to archive what you are done with."],
  junk: ["No spam", "Lucky you."],
  trash: ["The trash is empty", "What you delete stays here for a while."],
};

function Nothing({ state, isSearch }: { state: ListState; isSearch: boolean }) {
  const app = useApp();
  useObservable(app.syncStatus);
  if (isSearch) {
    return (
      <EmptyState
        icon="search"
        title="Nothing was found"
        text="Try fewer words, or search all mail. What is older than an account’s sync window is not on this device."
      />
    );
  }
  const category = categoryTitle(state.scope.category ?? "");
  if (category) {
    return <EmptyState icon="tag" title={`Nothing in ${category}`} text="All your mail is under All." />;
  }
  const isComing = app.syncStatus.list.some((status) =>
    (status.phase === "syncing" || status.phase === "connecting") &&
    state.scope.sources.some((source) => source.accountId === status.id)
  );
  if (isComing) {
    return (
      <EmptyState
        icon="refresh"
        title="Your mail is on its way"
        text="The newest comes first, and appears here by itself."
      />
    );
  }
  const [title, text] = NOTHING[state.scope.role ?? ""] ??
    ["There is nothing here", "Move messages here to keep them together."];
  return <EmptyState icon="inbox" title={title} text={text} />;
}

/** The keys of a list; they hold while a conversation is open as well. */
function useListKeys({ state, openKey, onOpen, onBack, onMove }: ThreadPaneProps): void {
  const app = useApp();
  const { actions, shortcuts, toasts } = app;
  const isInTrash = state.scope.role === "trash" || state.scope.role === "junk";

  // An open conversation is what keys are for, wherever the cursor was.
  useEffect(() => {
    if (openKey === null) return;
    const row = state.list.row(state.list.indexOf(openKey));
    if (row && state.cursor !== openKey) state.setCursor(row);
  }, [openKey, state]);

  const [, again] = useState(0);
  function step(by: number): void {
    const row = state.move(by);
    if (row && openKey !== null) onOpen(row);
    again((count) => count + 1);
  }

  /** Does it, and goes on to the next conversation. */
  function take(work: (targets: Target[]) => void): void | false {
    const targets = state.targets();
    if (targets.length === 0) return false;
    const index = state.cursorIndex;
    const isOne = state.selected.size === 0;
    const wasOpen = openKey !== null && targets.some((target) => rowKey(target) === openKey);
    work(targets);
    state.clear();
    const next = state.list.row(Math.min(index, state.list.total - 1));
    state.movedByKey = true;
    if (next && (isOne || wasOpen)) state.setCursor(next);
    if (!wasOpen) return;
    if (next && rowKey(next) !== openKey) onOpen(next);
    else onBack();
  }

  const list: Shortcut[] = [
    { keys: ["j"], does: "Next conversation", run: () => step(1) },
    { keys: ["k"], does: "Previous conversation", run: () => step(-1) },
    { keys: ["ArrowDown"], run: (event) => isInList(event) ? step(1) : false },
    { keys: ["ArrowUp"], run: (event) => isInList(event) ? step(-1) : false },
    { keys: ["Home"], run: (event) => isInList(event) ? step(-state.list.total) : false },
    { keys: ["End"], run: (event) => isInList(event) ? step(state.list.total) : false },
    {
      keys: ["Enter", "o"],
      does: "Open conversation",
      run: (event) => {
        if (event.key === "Enter" && !isInList(event) && event.target !== document.body) return false;
        const row = state.cursorRow();
        if (row) onOpen(row);
      },
    },
    {
      keys: ["u", "Escape"],
      does: "Back to the list, or clear the selection",
      run: () => {
        if (state.selected.size > 0) state.clear();
        else if (openKey !== null) onBack();
        else return false;
      },
    },
    { keys: ["e"], does: "Archive", run: () => take((targets) => actions.archive(targets)) },
    {
      keys: ["#", "Delete"],
      does: "Delete",
      run: () => take((targets) => isInTrash ? actions.destroy(targets) : actions.trash(targets)),
    },
    { keys: ["!"], does: "Mark as spam", run: () => take((targets) => actions.junk(targets)) },
    {
      keys: ["v"],
      does: "Move to mailbox",
      run: () => {
        const targets = state.targets();
        if (targets.length === 0) return false;
        onMove(targets);
      },
    },
    {
      keys: ["s"],
      does: "Star, or remove star",
      run: () => {
        const targets = state.targets();
        actions.setFlagged(targets, !targets.every((target) => target.emails.some(isStarred)));
      },
    },
    { keys: ["Shift+I"], does: "Mark as read", run: () => actions.setSeen(state.targets(), true) },
    {
      keys: ["Shift+U"],
      does: "Mark as unread",
      run: () => {
        actions.setSeen(state.targets(), false);
        if (openKey !== null) onBack();
      },
    },
    {
      keys: ["x"],
      does: "Select conversation",
      run: () => {
        const row = state.cursorRow();
        if (row) state.toggle(row);
      },
    },
    {
      keys: ["Mod+A"],
      does: "Select all that is loaded",
      run: (event) => isInList(event) ? state.selectKnown() : false,
    },
    {
      keys: ["z"],
      does: "Undo the last action",
      run: () => {
        const toast = [...toasts.list].reverse().find((toast) => toast.action?.label === "Undo");
        if (!toast) return false;
        toasts.act(toast.id);
      },
    },
    { keys: ["Shift+N"], does: "Refresh", run: () => void app.refresh() },
  ];
  useShortcuts(shortcuts, "Mail", list);
}

function isInList(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLElement && event.target.getAttribute("role") === "listbox";
}
