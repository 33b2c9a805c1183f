import {
  type CSSProperties,
  type HTMLAttributes,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
} from "react";
import { IconButton } from "../../ui/Button.tsx";
import { type Box, boxOf, type Corner, CORNERS, moved, resized, type Step } from "./boxes.ts";
import type { Composer } from "./composer.ts";
import { type Composers, room } from "./composers.ts";

/** Pixels of a key. */
const STEP = 16;
/** A box is saved once it has rested this long. */
const REST_MS = 400;

type Handlers = HTMLAttributes<HTMLElement>;

interface Moving {
  frame: RefObject<HTMLElement>;
  style: CSSProperties;
  /** Of the header, which moves it. */
  header: Handlers;
  /** The button that moves it by keyboard. */
  grip: ReactNode;
  corner: (corner: Corner) => Handlers;
}

/** Moves and resizes a floating composer: by its header and corners, and by the arrow keys. */
export function useMoving(composer: Composer, composers: Composers): Moving {
  const frame = useRef<HTMLElement>(null);
  const saving = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(saving.current), []);
  const put = (box: Box | null) => {
    composer.stand({ box });
    clearTimeout(saving.current);
    saving.current = setTimeout(() => composers.keepBox(composer), REST_MS);
  };
  const now = () => composer.box ?? (frame.current && boxOf(frame.current.getBoundingClientRect(), room()));
  const press = (event: KeyboardEvent) => {
    const by = KEYS[event.key];
    const box = now();
    if (event.key === "Home") put(null);
    else if (by && box) put(event.shiftKey ? resized(box, "se", by, room()) : moved(box, by, room()));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    frame,
    style: composer.box ? styleOf(composer.box) : {},
    header: {
      ...dragging(now, (box, by) => put(moved(box, by, room()))),
      onDoubleClick: (event) => isOnButton(event.target) || put(null),
    },
    corner: (corner) => dragging(now, (box, by) => put(resized(box, corner, by, room()))),
    grip: (
      <IconButton
        icon="move"
        label="Move or resize"
        title="Arrow keys move the message, with Shift they resize it. Home puts it back."
        onKeyDown={press}
      />
    ),
  };
}

const KEYS: Record<string, Step> = {
  ArrowLeft: { x: -STEP, y: 0 },
  ArrowRight: { x: STEP, y: 0 },
  ArrowUp: { x: 0, y: -STEP },
  ArrowDown: { x: 0, y: STEP },
};

function styleOf({ left, top, width, height }: Box): CSSProperties {
  return {
    "--left": `${left / 10}vw`,
    "--top": `${top / 10}dvh`,
    "--width": `${width / 10}vw`,
    "--height": `${height / 10}dvh`,
  } as CSSProperties;
}

const isOnButton = (target: EventTarget) => (target as Element).closest("button") !== null;

/** Follows the pointer from where it was pressed. */
function dragging(now: () => Box | null, drag: (from: Box, by: Step) => void): Handlers {
  return {
    onPointerDown: ({ button, target, currentTarget: held, pointerId, clientX, clientY }: PointerEvent) => {
      const box = now();
      if (button !== 0 || isOnButton(target) || !box || !(held instanceof HTMLElement)) return;
      const move = (event: globalThis.PointerEvent) =>
        drag(box, { x: event.clientX - clientX, y: event.clientY - clientY });
      held.setPointerCapture(pointerId);
      held.addEventListener("pointermove", move);
      held.addEventListener(
        "lostpointercapture",
        () => held.removeEventListener("pointermove", move),
        { once: true },
      );
    },
  };
}

/** What a pointer takes hold of to resize it. Keys resize it from its button. */
export function Corners({ corner }: { corner: (corner: Corner) => Handlers }) {
  return (
    <>
      {CORNERS.map((one) => (
        <span key={one} className={`dock-corner dock-corner-${one}`} aria-hidden="true" {...corner(one)} />
      ))}
    </>
  );
}
