import {
  forwardRef,
  type HTMLAttributes,
  type ReactNode,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useDrawn } from "./later.tsx";
import { useSize } from "./layout.ts";

export interface VirtualListHandle {
  element: HTMLDivElement | null;
  /** Scrolls as little as needed. */
  reveal(index: number): void;
  /** Moves the view by so many rows, without the rows seeming to move. */
  shift(rows: number): void;
}

interface VirtualListProps extends Omit<HTMLAttributes<HTMLDivElement>, "children"> {
  count: number;
  rowHeight: number;
  renderRow: (index: number) => ReactNode;
  /** Called when other rows come into view. */
  onVisible: (from: number, to: number) => void;
  /** Under which its size is remembered. */
  name?: string;
  /** Lies under the rows, and scrolls with them. */
  under?: ReactNode;
}

const OVERSCAN = 6;

/** A list of rows of one height, of which only those in view are in the document. */
export const VirtualList = forwardRef<VirtualListHandle, VirtualListProps>(
  function VirtualList(
    { count, rowHeight, renderRow, onVisible, name, under, className = "", ...rest },
    ref,
  ) {
    const element = useRef<HTMLDivElement>(null);
    const { height } = useSize(element, name);
    const isDrawn = useDrawn();
    const [first, setFirst] = useState(0);
    // Until it is measured, as many rows as the window could hold: most of them stay.
    const inView = Math.ceil((height || innerHeight) / rowHeight) + 1;
    const from = Math.max(0, Math.min(first, count - inView));
    const to = Math.min(count, from + inView);
    const show = (list: HTMLElement) => setFirst(Math.floor(list.scrollTop / rowHeight));
    const pending = useShift(element, rowHeight, show);
    useImperativeHandle(ref, () => handleOf(element, rowHeight, pending), [rowHeight]);
    useKeptTop(element, rowHeight);
    useEffect(() => {
      if (height > 0) onVisible(from, to);
    }, [from, to, height > 0]);

    const overscan = isDrawn ? OVERSCAN : 0;
    const start = Math.max(0, from - overscan);
    const end = Math.min(count, to + overscan);
    return (
      <div
        ref={element}
        className={`virtual ${className}`}
        onScroll={(event) => show(event.currentTarget)}
        {...rest}
      >
        <div className="virtual-space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
          {under}
          {Array.from({ length: Math.max(0, end - start) }, (_, index) => renderRow(start + index))}
        </div>
      </div>
    );
  },
);

type Box = RefObject<HTMLDivElement>;

function handleOf(element: Box, rowHeight: number, pending: { current: number }): VirtualListHandle {
  return {
    get element() {
      return element.current;
    },
    reveal(index) {
      const list = element.current;
      if (!list) return;
      const top = index * rowHeight;
      const below = top + rowHeight - list.clientHeight;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (below > list.scrollTop) list.scrollTop = below;
    },
    shift(rows) {
      pending.current += rows;
    },
  };
}

/** New rows at the top are compensated by scrolling before they are rendered. */
function useShift(element: Box, rowHeight: number, show: (list: HTMLElement) => void): { current: number } {
  const pending = useRef(0);
  useLayoutEffect(() => {
    if (pending.current === 0 || !element.current) return;
    element.current.scrollTop += pending.current * rowHeight;
    pending.current = 0;
    show(element.current);
  });
  return pending;
}

/** With another text size the same row stays at the top. */
function useKeptTop(element: Box, rowHeight: number): void {
  const last = useRef(rowHeight);
  useLayoutEffect(() => {
    if (last.current === rowHeight || !element.current) return;
    element.current.scrollTop = element.current.scrollTop / last.current * rowHeight;
    last.current = rowHeight;
  }, [rowHeight]);
}
