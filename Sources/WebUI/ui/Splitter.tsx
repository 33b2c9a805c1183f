import "./splitter.css";
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { useMeasures } from "./layout.ts";

interface SplitterProps {
  label: string;
  /** It lies between two panes above each other. */
  isHorizontal?: boolean;
  /** In thousandths of the room that both panes share; null as long as the pane before it has its usual size. */
  size: number | null;
  /** What the panes need at least, in `rem`. */
  least: { before: number; after: number };
  onSize: (size: number | null) => void;
}

const STEP = 20;

/** The line between two panes, which a pointer and the keyboard can move. */
export function Splitter({ label, isHorizontal = false, size, least, onSize }: SplitterProps) {
  const line = useRef<HTMLDivElement>(null);
  const { rem } = useMeasures();
  const [box, setBox] = useState({ now: 500, min: 0, max: 1000 });
  useSizes(line, rem, (line) => {
    const next = measure(line, isHorizontal, rem, least);
    setBox((before) => JSON.stringify(before) === JSON.stringify(next) ? before : next);
  });
  const held = (value: number) => Math.round(Math.max(box.min, Math.min(box.max, value)));
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    const room = roomOf(event.currentTarget)?.getBoundingClientRect();
    if (!room || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const share = isHorizontal
      ? (event.clientY - room.top) / room.height
      : (event.clientX - room.left) / room.width;
    onSize(held(share * 1000));
  };
  const press = (event: KeyboardEvent) => {
    const value = { ...(isHorizontal ? UP_AND_DOWN : LEFT_AND_RIGHT), Home: -1000, End: 1000 }[event.key];
    if (event.key === "Enter") onSize(null);
    else if (value !== undefined) onSize(held((size ?? box.now) + value));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={line}
      className={`splitter ${isHorizontal ? "splitter-horizontal" : ""}`}
      role="separator"
      aria-orientation={isHorizontal ? "horizontal" : "vertical"}
      aria-label={label}
      aria-valuemin={Math.round(box.min / 10)}
      aria-valuemax={Math.round(box.max / 10)}
      aria-valuenow={Math.round(box.now / 10)}
      aria-valuetext={`${Math.round(box.now / 10)} %`}
      title={`${label}. Double-click for the usual size.`}
      tabIndex={0}
      onKeyDown={press}
      onDoubleClick={() => onSize(null)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  );
}

const LEFT_AND_RIGHT = { ArrowLeft: -STEP, ArrowRight: STEP } as Record<string, number>;
const UP_AND_DOWN = { ArrowUp: -STEP, ArrowDown: STEP } as Record<string, number>;

/**
 * Calls `measure` once the sizes of the pane before the line or of both panes' room are laid out, and when they have
 * changed. To ask for sizes while the page is put together would lay it out once more each time.
 */
function useSizes(line: RefObject<HTMLElement | null>, rem: number, measure: (line: HTMLElement) => void) {
  const latest = useRef(measure);
  const watched = useRef<{ pane: Element | null; rem: number; observer: ResizeObserver } | null>(null);
  useEffect(() => {
    latest.current = measure;
    const pane = line.current?.previousElementSibling ?? null;
    if (!line.current || watched.current?.pane === pane && watched.current.rem === rem) return;
    watched.current?.observer.disconnect();
    const observer = new ResizeObserver(() => line.current && latest.current(line.current));
    for (const one of [pane, roomOf(line.current)]) if (one) observer.observe(one);
    watched.current = { pane, rem, observer };
  });
  useEffect(() => () => watched.current?.observer.disconnect(), []);
}

/** What holds both panes. */
function roomOf({ parentElement: parent }: HTMLElement): Element | null {
  return parent && getComputedStyle(parent).display === "contents" ? parent.parentElement : parent;
}

/** The size of the pane before the line, and how small and large it may be. */
function measure(line: HTMLElement, isHorizontal: boolean, rem: number, least: SplitterProps["least"]) {
  const along = (box: DOMRect | undefined) => (isHorizontal ? box?.height : box?.width) || 1;
  const room = along(roomOf(line)?.getBoundingClientRect());
  const before = along(line.previousElementSibling?.getBoundingClientRect());
  const share = (pixels: number) => Math.max(50, Math.min(950, 1000 * pixels / room));
  const min = share(least.before * rem);
  return { now: Math.round(share(before)), min, max: Math.max(min, 1000 - share(least.after * rem)) };
}
