import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { CONVERSATIONS } from "../../actions/conversation.ts";
import type { Desk } from "../../actions/goOn.ts";
import { menuItems, nameIn, takeNamed } from "../../actions/offers.ts";
import { useObservable } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import type { ListState } from "../../store/listState.ts";
import type { Row } from "../../store/rows.ts";
import type { Snippets } from "../../store/snippets.ts";
import { useSeen } from "../../store/useSeen.ts";
import { useMeasures, useSize } from "../../ui/layout.ts";
import { ContextMenu } from "../../ui/Menu.tsx";
import { VirtualList, type VirtualListHandle } from "../../ui/VirtualList.tsx";
import { useSwipe } from "./swipe.ts";
import { type RowMenu, usePointer } from "./usePointer.ts";
import { rowId, useRow } from "./useRow.tsx";

interface ThreadListViewProps {
  desk: Desk;
  snippets: Snippets | null;
}

const SWIPES = { right: nameIn(CONVERSATIONS, "swipeRight"), left: nameIn(CONVERSATIONS, "swipeLeft") };

/** The rows of a list, and everything that a pointer or finger does with them. Keys are with the pane. */
export function ThreadListView({ desk, snippets }: ThreadListViewProps) {
  const { state } = desk;
  const { list, scope } = state;
  useObservable(state);
  useObservable(list);
  const frame = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualListHandle>(null);
  const { width, isTight, rowHeight } = useRowHeight(frame);
  const renderRow = useRow(desk, snippets, rowHeight);
  const onVisible = useWanted(state, snippets);
  const [menu, setMenu] = useState<RowMenu | null>(null);
  const pointer = usePointer(desk, setMenu);
  useScroll(state, handle, rowHeight);
  useFingers(desk, handle);
  useSeen(state, width > 0 && list.known().length > 0);

  const { cursor } = state;
  const signs = `${isTight ? "thread-list-tight" : ""} ${state.selected.size > 0 ? "selecting" : ""}`;
  return (
    <div
      ref={frame}
      className={`thread-list ${signs}`}
      style={{ "--row": `${rowHeight}px` } as Record<string, string>}
    >
      <div className="pull" aria-hidden="true" />
      <VirtualList
        ref={handle}
        role="listbox"
        aria-label={`${scope.title}: conversations`}
        aria-multiselectable="true"
        aria-activedescendant={cursor !== null && list.indexOf(cursor) >= 0 ? rowId(cursor) : undefined}
        tabIndex={0}
        count={list.total}
        rowHeight={rowHeight}
        renderRow={renderRow}
        onVisible={onVisible}
        {...pointer}
        onScrollCapture={(event) => state.scrollTop = event.currentTarget.scrollTop}
        onFocus={() => cursor === null && state.setCursor(list.row(0) ?? null)}
      />
      {menu && <Menu menu={menu} onClose={() => setMenu(null)} />}
    </div>
  );
}

/** Text that is large for the list gets separate lines. */
function useRowHeight(frame: RefObject<HTMLElement>) {
  const { width } = useSize(frame);
  const { rem } = useMeasures();
  const isTight = width > 0 && width / rem < 17;
  return { width, isTight, rowHeight: Math.round((isTight ? 8.5 : 5.25) * rem) };
}

function Menu({ menu: { at, subject }, onClose }: { menu: RowMenu; onClose: () => void }) {
  const items = menuItems(CONVERSATIONS, subject, "rowMenu");
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

function useFingers(desk: Desk, handle: RefObject<VirtualListHandle>): void {
  const app = useApp();
  const { state } = desk;
  const scroller = useMemo(() => ({
    get current() {
      return handle.current?.element ?? null;
    },
  }), []);
  useSwipe(scroller, {
    names: SWIPES,
    onSwipe: (index, side) => {
      const row = state.list.row(index);
      if (!row) return;
      const place = side === "right" ? "swipeRight" : "swipeLeft";
      takeNamed(CONVERSATIONS, SWIPES[side], { app, desk, targets: [state.target(row)] }, place);
    },
    onPull: () => app.refresh(),
  });
}
