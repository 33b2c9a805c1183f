/** How far from each edge of what scrolls the caret is kept, in pixels. */
interface Edges {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

const USUAL = 5;

/** Tools can lie over the lower part of what scrolls. Its `scroll-padding` tells how much they cover, as to the browser. */
export function coveredEdges(place: HTMLElement): Edges {
  return {
    top: USUAL,
    right: USUAL,
    left: USUAL,
    get bottom() {
      for (let around: Element | null = place; around; around = around.parentElement) {
        const { overflowY, scrollPaddingBottom } = getComputedStyle(around);
        if (overflowY === "auto" || overflowY === "scroll") {
          return USUAL + (parseFloat(scrollPaddingBottom) || 0);
        }
      }
      return USUAL;
    },
  };
}
