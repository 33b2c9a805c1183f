import { type RefObject, useEffect, useRef } from "react";

export type SwipeAction = "archive" | "delete";

/** Beyond this share of the row's width letting go does it. */
const FAR_ENOUGH = 0.32;

/** Rows that are swept aside with a finger: to the right archives, to the left deletes. Also pulls to refresh. */
export function useSwipe(
  list: RefObject<HTMLElement | null>,
  onSwipe: (index: number, action: SwipeAction) => void,
  onPull: () => void,
): void {
  const newest = useRef({ onSwipe, onPull });
  newest.current = { onSwipe, onPull };
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    let row: HTMLElement | null = null;
    let from = { x: 0, y: 0 };
    let way: "none" | "across" | "down" = "none";
    let moved = 0;

    const start = (event: TouchEvent) => {
      const touch = event.touches[0];
      row = (event.target as HTMLElement).closest<HTMLElement>(".row[data-index]");
      if (!touch || event.touches.length > 1) row = null;
      else from = { x: touch.clientX, y: touch.clientY };
      way = "none";
      moved = 0;
    };
    const move = (event: TouchEvent) => {
      const touch = event.touches[0];
      if (!touch) return;
      const [x, y] = [touch.clientX - from.x, touch.clientY - from.y];
      if (way === "none") {
        if (Math.abs(x) > 12 && Math.abs(x) > Math.abs(y) * 1.5 && row) way = "across";
        else if (y > 24 && y > Math.abs(x) * 2 && element.scrollTop <= 0) way = "down";
        else if (Math.abs(y) > 12) row = null;
      }
      if (way === "across" && row) {
        event.preventDefault();
        moved = x / row.offsetWidth;
        row.style.transform = `translateX(${x}px)`;
        row.dataset["swipe"] = x > 0 ? "archive" : "delete";
        row.dataset["far"] = String(Math.abs(moved) > FAR_ENOUGH);
      } else if (way === "down") {
        event.preventDefault();
        moved = Math.min(1, y / 120);
        element.parentElement?.style.setProperty("--pull", String(moved));
      }
    };
    const end = () => {
      if (way === "across" && row) {
        const index = Number(row.dataset["index"]);
        row.style.transform = "";
        delete row.dataset["swipe"];
        if (Math.abs(moved) > FAR_ENOUGH) newest.current.onSwipe(index, moved > 0 ? "archive" : "delete");
      } else if (way === "down") {
        element.parentElement?.style.setProperty("--pull", "0");
        if (moved >= 1) newest.current.onPull();
      }
      row = null;
      way = "none";
    };
    element.addEventListener("touchstart", start, { passive: true });
    element.addEventListener("touchmove", move, { passive: false });
    element.addEventListener("touchend", end);
    element.addEventListener("touchcancel", end);
    return () => {
      element.removeEventListener("touchstart", start);
      element.removeEventListener("touchmove", move);
      element.removeEventListener("touchend", end);
      element.removeEventListener("touchcancel", end);
    };
  });
}
