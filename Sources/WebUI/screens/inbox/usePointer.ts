import { type DragEvent, type HTMLAttributes, type MouseEvent, useRef } from "react";
import type { Subject } from "../../actions/action.ts";
import { CONVERSATIONS } from "../../actions/conversation.ts";
import type { Desk } from "../../actions/goOn.ts";
import { takeNamed } from "../../actions/offers.ts";
import { useApp } from "../../store/app.ts";
import { type Row, rowKey } from "../../store/rows.ts";
import type { Target } from "../../store/target.ts";
import { rowId } from "./rowId.ts";
import { counted } from "../../store/words.ts";
import type { Point } from "../../ui/Menu.tsx";

type Handlers = HTMLAttributes<HTMLDivElement>;

/** The rows that a menu is open for, and where. */
export interface RowMenu {
  at: Point;
  subject: Subject;
}

/** What a pointer does with rows: opens, selects, drags, asks for a menu, and what their signs stand for. */
export function usePointer(desk: Desk, onMenu: (menu: RowMenu) => void): Handlers {
  const app = useApp();
  const { state } = desk;
  const touches = useRef(false);
  const drags = useDragging(desk, touches);

  function click(event: MouseEvent): void {
    const row = rowAt(desk, event);
    if (!row) return;
    const action = (event.target as HTMLElement).closest<HTMLElement>("[data-action]")?.dataset["action"];
    state.movedByKey = false;
    if (action && action !== "select") {
      takeNamed(CONVERSATIONS, action, { app, desk, targets: [state.target(row)] }, "row");
    } else if (event.shiftKey) state.extendTo(row);
    else if (action === "select" || event.ctrlKey || event.metaKey) state.toggle(row);
    else desk.open(row);
  }

  /** A finger that stays on a row selects it; the right button has a menu for it, or for all that is selected. */
  function hold(event: MouseEvent): void {
    // The menu key is pressed on the list, whose cursor is on a row.
    const isOnList = event.target === event.currentTarget && event.button !== 2;
    const row = isOnList ? state.cursorRow() : rowAt(desk, event);
    if (!row) return;
    event.preventDefault();
    if (touches.current) return state.toggle(row);
    const isSelection = state.selected.has(rowKey(row));
    const chosen = isSelection ? state.chosen() : { targets: [state.target(row)] };
    onMenu({
      at: isOnList ? placeOf(row) : { x: event.clientX, y: event.clientY },
      subject: { app, desk, ...chosen, isSelection },
    });
  }

  return {
    onClick: click,
    onPointerDown: (event) => touches.current = event.pointerType === "touch",
    onContextMenu: hold,
    ...drags,
  };
}

/** Where the row begins. */
function placeOf(row: Row): Point {
  const box = document.getElementById(rowId(rowKey(row)))?.getBoundingClientRect();
  return { x: (box?.left ?? 0) + 32, y: (box?.top ?? 0) + 16 };
}

function rowAt({ state }: Desk, { target }: MouseEvent): Row | undefined {
  const { index = -1 } = (target as HTMLElement).closest<HTMLElement>("[data-index]")?.dataset ?? {};
  return state.list.row(Number(index));
}

/** Selected rows are dragged together; another row alone. */
function useDragging({ state }: Desk, touches: { current: boolean }): Handlers {
  const app = useApp();
  const isSelection = useRef(false);
  return {
    onDragStart: (event) => {
      const row = state.list.row(Number((event.target as HTMLElement).dataset["index"] ?? -1));
      if (!row || touches.current) return event.preventDefault();
      isSelection.current = state.selected.has(rowKey(row));
      app.dragged.value = isSelection.current ? state.targets() : [state.target(row)];
      pack(event, app.dragged.value);
    },
    onDragEnd: (event) => {
      app.dragged.value = [];
      // After a drop the selection is cleared; after an aborted drag it stays.
      if (isSelection.current && event.dataTransfer.dropEffect !== "none") state.clear();
    },
  };
}

/** The data for other programs, and the drag image. */
function pack({ dataTransfer }: DragEvent, targets: Target[]): void {
  dataTransfer.effectAllowed = "move";
  dataTransfer.setData("text/plain", targets.map(({ emails }) => emails[0]?.subject ?? "").join("\n"));
  const sign = document.createElement("div");
  sign.className = "drag-sign";
  sign.textContent = counted(targets.length, "conversation");
  document.body.append(sign);
  dataTransfer.setDragImage(sign, -12, -8);
  // It has been drawn by then.
  setTimeout(() => sign.remove());
}
