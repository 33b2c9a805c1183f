import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { rememberedSize, rememberSize, type Size } from "./sizes.ts";

/** One pane at a time, list and conversation, or the mailboxes beside them. */
export type Layout = "narrow" | "medium" | "wide";

export interface Measures {
  layout: Layout;
  /** Pixels of a `rem`: what text size the person has. */
  rem: number;
  /** A phone on its side: lines are dear. */
  isLow: boolean;
}

/** In `rem`, so that large text gets the layout of a small window. */
export function layoutOf(width: number, rem: number): Layout {
  const rems = width / rem;
  return rems >= 68 ? "wide" : rems >= 46 ? "medium" : "narrow";
}

function measure(): Measures {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return { layout: layoutOf(innerWidth, rem), rem, isLow: matchMedia("(max-height: 30rem)").matches };
}

export function useMeasures(): Measures {
  const [measures, setMeasures] = useState(measure);
  useEffect(() => {
    const again = () =>
      setMeasures((before) => {
        const now = measure();
        const isSame = now.layout === before.layout && now.rem === before.rem && now.isLow === before.isLow;
        return isSame ? before : now;
      });
    // A text size that changes resizes this, a window that changes does too.
    const probe = document.createElement("div");
    probe.className = "probe";
    document.body.append(probe);
    const observer = new ResizeObserver(again);
    observer.observe(probe);
    addEventListener("resize", again);
    return () => {
      observer.disconnect();
      probe.remove();
      removeEventListener("resize", again);
    };
  }, []);
  return measures;
}

/**
 * The width and height of an element, 0 until it is shown.
 *
 * - Parameter name: under which its size is remembered, so that it is right from the beginning the next time.
 */
export function useSize(element: RefObject<HTMLElement>, name?: string): Size {
  const [size, setSize] = useState<Size>(() => rememberedSize(name) ?? { width: 0, height: 0 });
  // Before the first paint, so that dependent elements are rendered with it.
  useLayoutEffect(() => {
    const shown = element.current;
    if (!shown) return;
    const measure = () => {
      const [width, height] = [shown.clientWidth, shown.clientHeight];
      setSize((before) => before.width === width && before.height === height ? before : { width, height });
      if (name) rememberSize(name, { width, height });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(shown);
    return () => observer.disconnect();
  }, [element, name]);
  return size;
}
