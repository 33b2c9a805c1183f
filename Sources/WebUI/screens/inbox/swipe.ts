import { type RefObject, useEffect, useRef } from "react";

export type Side = "right" | "left";

/** A row on its way, and whether letting go would do something. */
export interface Swiped {
  index: number;
  side: Side;
  isFar: boolean;
}

/** What a finger does in a list. */
interface Gestures {
  /** Whether something can be done to the row on that side. */
  offers: (index: number, side: Side) => boolean;
  /** Another row, side or distance; null when the row is back in its place. */
  onMove: (swiped: Swiped | null) => void;
  onSwipe: (index: number, side: Side) => void;
  /** The list is pulled down; `isFar` is whether letting go refreshes it, and null that it is back in its place. */
  onPulling: (isFar: boolean | null) => void;
  onPull: () => void;
}

/** Beyond this share of the row's width letting go does it. */
const FAR_ENOUGH = 0.32;

/** So many pixels down refresh the list. */
const PULL = 120;

/** Rows that follow a finger to the side, and a list that is pulled down to refresh it. */
export function useSwipe(list: RefObject<HTMLElement | null>, gestures: Gestures): void {
  const newest = useRef(gestures);
  newest.current = gestures;
  useEffect(() => {
    const element = list.current;
    return element ? listen(element, new Swipe(element, () => newest.current)) : undefined;
  }, [list]);
}

function listen(element: HTMLElement, swipe: Swipe): () => void {
  const ends = new AbortController();
  const { signal } = ends;
  element.addEventListener("touchstart", swipe.start, { passive: true, signal });
  element.addEventListener("touchmove", swipe.move, { passive: false, signal });
  element.addEventListener("touchend", swipe.end, { signal });
  element.addEventListener("touchcancel", swipe.cancel, { signal });
  return () => ends.abort();
}

/** One finger, from where it touches to where it lets go. */
class Swipe {
  #row: HTMLElement | null = null;
  #from = { x: 0, y: 0 };
  #way: "none" | "across" | "down" = "none";
  /** Horizontally: the share of the row's width. Vertically: the share of the distance that refreshes. */
  #moved = 0;
  /** What was last told, so that each change is told once. */
  #told = "";

  constructor(private readonly list: HTMLElement, private readonly gestures: () => Gestures) {}

  readonly start = (event: TouchEvent): void => {
    this.cancel();
    const touch = event.touches[0];
    if (!touch || event.touches.length > 1) return;
    this.#row = (event.target as HTMLElement).closest<HTMLElement>(".row[data-index]");
    this.#from = { x: touch.clientX, y: touch.clientY };
  };

  readonly move = (event: TouchEvent): void => {
    const touch = event.touches[0];
    if (!touch) return;
    // A second finger means something else.
    if (event.touches.length > 1) return this.cancel();
    const [x, y] = [touch.clientX - this.#from.x, touch.clientY - this.#from.y];
    if (this.#way === "none") this.#choose(x, y);
    if (this.#way === "none" || this.#way === "across" && !this.#row) return;
    if (event.cancelable) event.preventDefault();
    if (this.#way === "across" && this.#row) this.#moveAcross(this.#row, x);
    else this.#pull(Math.max(0, Math.min(1, y / PULL)));
  };

  readonly end = (): void => {
    const [row, way, moved] = [this.#row, this.#way, this.#moved];
    this.cancel();
    if (way === "down" && moved >= 1) this.gestures().onPull();
    if (way !== "across" || !row || Math.abs(moved) <= FAR_ENOUGH) return;
    this.gestures().onSwipe(Number(row.dataset["index"]), moved > 0 ? "right" : "left");
  };

  /** Everything goes back to its place, and nothing is done. */
  readonly cancel = (): void => {
    if (this.#way === "across" && this.#row) {
      this.#row.style.transform = "";
      delete this.#row.dataset["swiped"];
      this.#tell("", () => this.gestures().onMove(null));
    }
    if (this.#way === "down") {
      this.list.parentElement?.style.removeProperty("--pull");
      this.#tell("", () => this.gestures().onPulling(null));
    }
    this.#row = null;
    this.#way = "none";
    this.#moved = 0;
  };

  #choose(x: number, y: number): void {
    if (Math.abs(x) > 12 && Math.abs(x) > Math.abs(y) * 1.5 && this.#row) this.#way = "across";
    else if (y > 24 && y > Math.abs(x) * 2 && this.list.scrollTop <= 0) this.#way = "down";
    else if (Math.abs(y) > 12) this.#row = null;
  }

  #moveAcross(row: HTMLElement, x: number): void {
    const [index, side] = [Number(row.dataset["index"]), x > 0 ? "right" as const : "left" as const];
    const canMove = this.gestures().offers(index, side);
    this.#moved = canMove ? x / row.offsetWidth : 0;
    row.style.transform = canMove ? `translateX(${x}px)` : "";
    row.dataset["swiped"] = "";
    const isFar = Math.abs(this.#moved) > FAR_ENOUGH;
    this.#tell(
      `${side} ${canMove} ${isFar}`,
      () => this.gestures().onMove(canMove ? { index, side, isFar } : null),
    );
  }

  #pull(share: number): void {
    this.#moved = share;
    this.list.parentElement?.style.setProperty("--pull", String(share));
    this.#tell(String(share >= 1), () => this.gestures().onPulling(share >= 1));
  }

  #tell(what: string, tell: () => void): void {
    if (this.#told === what) return;
    this.#told = what;
    tell();
  }
}
