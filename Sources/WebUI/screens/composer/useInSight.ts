import { type RefObject, useEffect } from "react";

/** What the user does is no longer about what was opened. */
const ENDS = ["keydown", "pointerdown", "wheel"];

/**
 * Brings all of an element into view once it is ready, and keeps it there while it and the mail above it get their
 * heights: parts of both are loaded later. It ends with the user's next key, click or scrolling.
 */
export function useInSight(place: RefObject<HTMLElement>, isReady: boolean): void {
  useEffect(() => {
    const element = place.current;
    const pane = element?.closest(".conversation-scroll");
    if (!isReady || !element || !pane) return;
    const end = new AbortController();
    const stop = () => end.abort();
    let top = 0;
    const observer = new ResizeObserver(() => {
      element.scrollIntoView({ block: "nearest" });
      top = pane.scrollTop;
    });
    // The first report comes at once.
    for (const part of pane.children) observer.observe(part);
    const { signal } = end;
    signal.addEventListener("abort", () => observer.disconnect());
    for (const type of ENDS) addEventListener(type, stop, { signal, capture: true, passive: true });
    // The wheel over a message is an event of its frame. What gets lower scrolls too, to the new end.
    const scrolled = () => {
      const isAtEnd = pane.scrollTop + pane.clientHeight > pane.scrollHeight - 2;
      if (pane.scrollTop < top - 1 && !isAtEnd) stop();
    };
    pane.addEventListener("scroll", scrolled, { signal });
    return stop;
  }, [place, isReady]);
}
