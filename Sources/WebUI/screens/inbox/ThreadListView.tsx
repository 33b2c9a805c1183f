import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { CONVERSATIONS } from "../../actions/conversation.ts";
import type { Subject } from "../../actions/action.ts";
import type { Desk } from "../../actions/goOn.ts";
import { WRITING, type WritingSubject } from "../../actions/message.ts";
import { menuItems } from "../../actions/offers.ts";
import { useObservable } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import type { ListState } from "../../store/listState.ts";
import type { Row } from "../../store/rows.ts";
import type { Snippets } from "../../store/snippets.ts";
import { useSeen } from "../../store/useSeen.ts";
import { ContextMenu } from "../../ui/Menu.tsx";
import { VirtualList, type VirtualListHandle } from "../../ui/VirtualList.tsx";
import { openComposer } from "../composer/open.tsx";
import { useRowShape } from "./rowShape.ts";
import { useFingers } from "./useFingers.tsx";
import { type RowMenu, usePointer } from "./usePointer.ts";
import { rowId } from "./rowId.ts";
import { useRow } from "./useRow.tsx";

interface ThreadListViewProps {
  desk: Desk;
  snippets: Snippets | null;
}

/** The rows of a list, and everything that a pointer or finger does with them. Keys are with the pane. */
export function ThreadListView({ desk, snippets }: ThreadListViewProps) {
  const { state } = desk;
  const { list, scope } = state;
  useObservable(state);
  useObservable(list);
  const frame = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualListHandle>(null);
  const { width, shape, rowHeight } = useRowShape(frame);
  const renderRow = useRow(desk, snippets, { shape, rowHeight });
  const onVisible = useWanted(state, snippets);
  const [menu, setMenu] = useState<RowMenu | null>(null);
  const pointer = usePointer(desk, setMenu);
  useScroll(state, handle, rowHeight);
  const { under, pull } = useFingers(desk, handle, rowHeight);
  useSeen(state, width > 0 && list.known().length > 0);

  const { cursor } = state;
  return (
    <div
      ref={frame}
      className={`thread-list ${state.selected.size > 0 ? "selecting" : ""}`}
      style={{ "--row": `${rowHeight}px` } as Record<string, string>}
    >
      {pull}
      <VirtualList
        ref={handle}
        name="rows"
        role="listbox"
        aria-label={`${scope.title}: conversations`}
        aria-multiselectable="true"
        aria-activedescendant={cursor !== null && list.indexOf(cursor) >= 0 ? rowId(cursor) : undefined}
        tabIndex={0}
        count={list.total}
        rowHeight={rowHeight}
        renderRow={renderRow}
        onVisible={onVisible}
        under={under}
        {...pointer}
        onScrollCapture={(event) => state.scrollTop = event.currentTarget.scrollTop}
        onFocus={() => cursor === null && state.setCursor(list.row(0) ?? null)}
      />
      {menu && <Menu menu={menu} onClose={() => setMenu(null)} />}
    </div>
  );
}

/** The newest message of the only conversation, if it can be answered. */
function answering(subject: Subject): WritingSubject | null {
  const { app, targets: [target, other], all } = subject;
  if (!target || other || all) return null;
  const { accountId, threadId } = target;
  const known = app.emails.members(accountId, threadId);
  const email = (known.length > 0 ? known : target.emails).filter(({ keywords }) => !keywords["$draft"]).at(
    -1,
  );
  return email
    ? { ...subject, write: (mode) => openComposer(app, { mode, accountId, emailId: email.id }) }
    : null;
}

function Menu({ menu: { at, subject }, onClose }: { menu: RowMenu; onClose: () => void }) {
  const answers = answering(subject);
  const items = [
    ...(answers ? menuItems(WRITING, answers, "rowMenu") : []),
    ...menuItems(CONVERSATIONS, subject, "rowMenu"),
  ];
  return <ContextMenu label="Conversation" at={at} items={items} onClose={onClose} />;
}

/** The list stands where it was left, follows the cursor, and keeps its place when rows come above it. */
function useScroll(state: ListState, handle: RefObject<VirtualListHandle>, rowHeight: number): void {
  const { list } = state;
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
}

/** Loads the visible rows and their details. */
function useWanted(state: ListState, snippets: Snippets | null): (from: number, to: number) => void {
  const app = useApp();
  const { list } = state;
  const [range, setRange] = useState({ from: 0, to: 0 });
  useEffect(() => {
    const rows: Row[] = [];
    for (let index = range.from; index < range.to; index += 1) {
      const row = list.row(index);
      if (row) rows.push(row);
    }
    snippets?.want(rows);
    app.categories.want(rows);
  }, [app, snippets, list, range, list.version(), app.categories.version()]);
  return useCallback((from, to) => {
    setRange({ from, to });
    list.want(from, to);
  }, [list]);
}
