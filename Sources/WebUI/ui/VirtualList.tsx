import {
  forwardRef,
  type HTMLAttributes,
  type ReactNode,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
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
}

const OVERSCAN = 6;

/** A list of rows of one height, of which only those in view are in the document. */
export const VirtualList = forwardRef<VirtualListHandle, VirtualListProps>(
  function VirtualList({ count, rowHeight, renderRow, onVisible, className = "", ...rest }, ref) {
    const element = useRef<HTMLDivElement>(null);
    const { height } = useSize(element);
    const [first, setFirst] = useState(0);
    const inView = Math.ceil(height / rowHeight) + 1;
    const from = Math.max(0, Math.min(first, count - inView));
    const to = Math.min(count, from + inView);
    const start = Math.max(0, from - OVERSCAN);
    const end = Math.min(count, to + OVERSCAN);

    const pending = useRef(0);
    useImperativeHandle(ref, () => ({
      get element() {
        return element.current;
      },
      reveal(index) {
        const list = element.current;
        if (!list) return;
        const top = index * rowHeight;
        if (top < list.scrollTop) list.scrollTop = top;
        else if (top + rowHeight > list.scrollTop + list.clientHeight) {
          list.scrollTop = top + rowHeight - list.clientHeight;
        }
      },
      shift(rows) {
        pending.current += rows;
      },
    }), [rowHeight]);

    // After the new rows are in the document, and before anybody sees them where they are not.
    useLayoutEffect(() => {
      if (pending.current === 0 || !element.current) return;
      element.current.scrollTop += pending.current * rowHeight;
      pending.current = 0;
      setFirst(Math.floor(element.current.scrollTop / rowHeight));
    });

    // With another text size the same row stays at the top.
    const lastHeight = useRef(rowHeight);
    useLayoutEffect(() => {
      if (lastHeight.current === rowHeight || !element.current) return;
      element.current.scrollTop = element.current.scrollTop / lastHeight.current * rowHeight;
      lastHeight.current = rowHeight;
    }, [rowHeight]);

    useEffect(() => {
      if (height > 0) onVisible(from, to);
    }, [from, to, height > 0]);

    const rows: ReactNode[] = [];
    for (let index = start; index < end; index += 1) rows.push(renderRow(index));
    return (
      <div
        ref={element}
        className={`virtual ${className}`}
        onScroll={(event) => setFirst(Math.floor(event.currentTarget.scrollTop / rowHeight))}
        {...rest}
      >
        <div className="virtual-space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
          {rows}
        </div>
      </div>
    );
  },
);
