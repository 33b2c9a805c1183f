import {
  type DragEvent,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type App, useApp } from "../../store/app.ts";
import { isStarred, isUnread } from "../../store/target.ts";
import { categoryTitle } from "../../store/categories.ts";
import type { ListState } from "../../store/listState.ts";
import { useObservable } from "../../base/observable.ts";
import { Row, rowKey } from "../../store/rows.ts";
import { pieces, type Snippets } from "../../store/snippets.ts";
import { counted } from "../../store/words.ts";
import { useMeasures, useSize } from "../../ui/layout.ts";
import { VirtualList, type VirtualListHandle } from "../../ui/VirtualList.tsx";
import { useSwipe } from "./swipe.ts";
import { useSeen } from "../../store/useSeen.ts";
import { contentOf, EmptyRow, ThreadRow } from "./ThreadRow.tsx";

interface ThreadListViewProps {
  state: ListState;
  snippets: Snippets | null;
  openKey: string | null;
  onOpen: (row: Row) => void;
}

const NO_SNIPPETS = { subscribe: () => () => {}, version: () => 0 };

/** The rows of a list, and everything that a pointer or finger does with them. Keys are with the pane. */
export function ThreadListView({ state, snippets, openKey, onOpen }: ThreadListViewProps) {
  const app = useApp();
  const { list, scope } = state;
  useObservable(state);
  useObservable(list);
  useObservable(app.emails);
  useObservable(app.categories);
  useObservable((snippets ?? NO_SNIPPETS) as Snippets);
  const frame = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualListHandle>(null);
  const touches = useRef(false);
  const dragsSelection = useRef(false);
  const scroller = useMemo(() => ({
    get current() {
      return handle.current?.element ?? null;
    },
  }), []);
  const { width } = useSize(frame);
  const { rem } = useMeasures();
  const isTight = width > 0 && width / rem < 17;
  const rowHeight = Math.round((isTight ? 8.5 : 5.25) * rem);
  const [own, accountNames] = [app.ownAddresses, scope.sources.length > 1];
  const showsRecipients = scope.role === "sent" || scope.role === "drafts";

  useEffect(() => {
    list.onShift = (rows) => handle.current?.shift(rows);
    const element = handle.current?.element;
    if (element) element.scrollTop = state.scrollTop;
    return () => {
      list.onShift = () => {};
    };
  }, [list, state]);
  useEffect(() => {
    if (state.cursor !== null && state.movedByKey) handle.current?.reveal(state.cursorIndex);
  }, [state, state.cursor, rowHeight]);

  useSwipe(
    scroller,
    (index, action) => {
      const row = list.row(index);
      if (row) app.actions[action]([state.target(row)]);
    },
    () => app.refresh(),
  );

  const onVisible = useCallback((from: number, to: number) => {
    list.want(from, to);
  }, [list]);
  const [range, setRange] = useState({ from: 0, to: 0 });
  useSeen(state, width > 0 && list.known().length > 0);
  useEffect(() => {
    const rows: Row[] = [];
    for (let index = range.from; index < range.to; index += 1) {
      const row = list.row(index);
      if (row) rows.push(row);
    }
    snippets?.want(rows);
    app.categories.want(rows);
  }, [app, snippets, list, range, list.version(), app.categories.version()]);

  function click(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const index = Number(target.closest<HTMLElement>("[data-index]")?.dataset["index"] ?? -1);
    const row = list.row(index);
    if (!row) return;
    const action = target.closest<HTMLElement>("[data-action]")?.dataset["action"];
    const targets = [state.target(row)];
    const emails = targets[0]?.emails ?? [];
    state.movedByKey = false;
    if (action === "archive" || action === "delete") app.actions[action](targets);
    else if (action === "star") app.actions.setFlagged(targets, !emails.some(isStarred));
    else if (action === "seen") app.actions.setSeen(targets, emails.some(isUnread));
    else if (event.shiftKey) state.extendTo(row);
    else if (action === "select" || event.ctrlKey || event.metaKey) state.toggle(row);
    else onOpen(row);
  }

  /** What is selected travels together; another row alone. */
  function drag(event: DragEvent): void {
    const row = list.row(Number((event.target as HTMLElement).dataset["index"] ?? -1));
    if (!row || touches.current) return event.preventDefault();
    dragsSelection.current = state.selected.has(rowKey(row));
    const targets = dragsSelection.current ? state.targets() : [state.target(row)];
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData(
      "text/plain",
      targets.map(({ emails }) => emails[0]?.subject ?? "").join("\n"),
    );
    const sign = document.createElement("div");
    sign.className = "drag-sign";
    sign.textContent = counted(targets.length, "conversation");
    document.body.append(sign);
    event.dataTransfer.setDragImage(sign, -12, -8);
    // It has been drawn by then.
    setTimeout(() => sign.remove());
    app.dragged.value = targets;
  }

  /** A finger that stays on a row selects it. */
  function hold(event: MouseEvent): void {
    const index = Number(
      (event.target as HTMLElement).closest<HTMLElement>("[data-index]")?.dataset["index"] ?? -1,
    );
    const row = list.row(index);
    if (!row || !touches.current) return;
    event.preventDefault();
    state.toggle(row);
  }

  function renderRow(index: number): ReactNode {
    const row = list.row(index);
    const email = row && app.emails.get(row.accountId, row.emailId);
    const top = index * rowHeight;
    if (!row || !email) return <EmptyRow key={`empty-${index}`} top={top} />;
    const key = rowKey(row);
    const snippet = snippets?.get(row);
    const kind = app.categories.get(row.accountId, row.emailId);
    const content = contentOf(
      email,
      app.emails.members(row.accountId, row.threadId),
      app.emails.thread(row.accountId, row.threadId)?.length ?? 1,
      own,
      showsRecipients,
      accountNames ? accountName(app, row.accountId) : null,
      app.actions.apart(state.target(row)),
      kind && kind !== "primary" ? categoryTitle(kind) : null,
    );
    return (
      <ThreadRow
        key={key}
        id={rowId(key)}
        row={row}
        index={index}
        total={list.total}
        top={top}
        content={content}
        isCursor={state.cursor === key}
        isOpen={openKey === key}
        isSelected={state.selected.has(key)}
        marked={snippet && {
          subject: snippet.subject ? marked(snippet.subject) : content.subject,
          preview: snippet.preview ? marked(snippet.preview) : content.preview,
        }}
      />
    );
  }

  const cursorIsThere = state.cursor !== null && list.indexOf(state.cursor) >= 0;
  return (
    <div
      ref={frame}
      className={`thread-list ${isTight ? "thread-list-tight" : ""} ${
        state.selected.size > 0 ? "selecting" : ""
      }`}
      style={{ "--row": `${rowHeight}px` } as Record<string, string>}
    >
      <div className="pull" aria-hidden="true" />
      <VirtualList
        ref={handle}
        role="listbox"
        aria-label={`${scope.title}: conversations`}
        aria-multiselectable="true"
        aria-activedescendant={cursorIsThere && state.cursor ? rowId(state.cursor) : undefined}
        tabIndex={0}
        count={list.total}
        rowHeight={rowHeight}
        renderRow={renderRow}
        onVisible={(from, to) => {
          setRange({ from, to });
          onVisible(from, to);
        }}
        onClick={click}
        onPointerDown={(event) => touches.current = event.pointerType === "touch"}
        onContextMenu={hold}
        onDragStart={drag}
        onDragEnd={(event) => {
          app.dragged.value = [];
          // What was dropped is done with; what was let go of elsewhere is still selected.
          if (dragsSelection.current && event.dataTransfer.dropEffect !== "none") state.clear();
        }}
        onScrollCapture={(event) => state.scrollTop = event.currentTarget.scrollTop}
        onFocus={() => {
          const first = list.row(0);
          if (state.cursor === null && first) state.setCursor(first);
        }}
      />
    </div>
  );
}

function rowId(key: string): string {
  return `row-${key.replace("/", "-")}`;
}

function marked(snippet: string): ReactNode {
  return pieces(snippet).map((piece, index) =>
    piece.isMarked ? <mark key={index}>{piece.text}</mark> : piece.text
  );
}

/** What the person calls the account; its address where it has no name. */
function accountName(app: App, id: string): string | null {
  return app.accountSettings.get(id)?.displayName || app.account(id)?.name || null;
}
