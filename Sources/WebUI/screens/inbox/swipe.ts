import { type RefObject, useEffect, useRef } from "react";

/** What a finger does in a list. */
interface Gestures {
  /** The names of what sweeping a row to either side does: the style sheet has a color for each. */
  names: { right: string; left: string };
  onSwipe: (index: number, side: "right" | "left") => void;
  /** The list was pulled down. */
  onPull: () => void;
}

/** Beyond this share of the row's width letting go does it. */
const FAR_ENOUGH = 0.32;

/** Rows that are swept aside with a finger, and a list that is pulled down to refresh it. */
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
  element.addEventListener("touchcancel", swipe.end, { signal });
  return () => ends.abort();
}

/** One finger, from where it touches to where it lets go. */
class Swipe {
  #row: HTMLElement | null = null;
  #from = { x: 0, y: 0 };
  #way: "none" | "across" | "down" = "none";
  /**
   * Horizontally: the share of the row's width. Vertically: the share of the distance that triggers a
   * refresh.
   */
  #moved = 0;

  constructor(private readonly list: HTMLElement, private readonly gestures: () => Gestures) {}

  readonly start = (event: TouchEvent): void => {
    const touch = event.touches[0];
    this.#row = (event.target as HTMLElement).closest<HTMLElement>(".row[data-index]");
    if (!touch || event.touches.length > 1) this.#row = null;
    else this.#from = { x: touch.clientX, y: touch.clientY };
    this.#way = "none";
    this.#moved = 0;
  };

  readonly move = (event: TouchEvent): void => {
    const touch = event.touches[0];
    if (!touch) return;
    const [x, y] = [touch.clientX - this.#from.x, touch.clientY - this.#from.y];
    if (this.#way === "none") this.#choose(x, y);
    if (this.#way === "none" || this.#way === "across" && !this.#row) return;
    event.preventDefault();
    if (this.#way === "across" && this.#row) this.#moveAcross(this.#row, x);
    else this.#pull(Math.min(1, y / 120));
  };

  readonly end = (): void => {
    if (this.#way === "across" && this.#row) this.#letGo(this.#row);
    if (this.#way === "down") {
      const isFar = this.#moved >= 1;
      this.#pull(0);
      if (isFar) this.gestures().onPull();
    }
    this.#row = null;
    this.#way = "none";
  };

  #choose(x: number, y: number): void {
    if (Math.abs(x) > 12 && Math.abs(x) > Math.abs(y) * 1.5 && this.#row) this.#way = "across";
    else if (y > 24 && y > Math.abs(x) * 2 && this.list.scrollTop <= 0) this.#way = "down";
    else if (Math.abs(y) > 12) this.#row = null;
  }

  #moveAcross(row: HTMLElement, x: number): void {
    this.#moved = x / row.offsetWidth;
    row.style.transform = `translateX(${x}px)`;
    row.dataset["swipe"] = this.gestures().names[x > 0 ? "right" : "left"];
    row.dataset["far"] = String(Math.abs(this.#moved) > FAR_ENOUGH);
  }

  #letGo(row: HTMLElement): void {
    row.style.transform = "";
    delete row.dataset["swipe"];
    if (Math.abs(this.#moved) <= FAR_ENOUGH) return;
    this.gestures().onSwipe(Number(row.dataset["index"]), this.#moved > 0 ? "right" : "left");
  }

  #pull(share: number): void {
    this.#moved = share;
    this.list.parentElement?.style.setProperty("--pull", String(share));
  }
}
