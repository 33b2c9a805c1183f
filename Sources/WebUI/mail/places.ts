import type { Glyph } from "./eye.ts";

/** Texts are found by where they are, in strips of so many pixels. */
const STRIP = 64;
/** Of so many texts the places are known. */
const MOST_TEXTS = 20_000;
/** Of a link with many elements in it so many are looked at. */
const MOST_PARTS = 100;
/** Of the texts beside a link so many are looked at. */
const MOST_BESIDE = 40;
/** Texts that are so many times their height apart cannot be one word. */
const NEAR = 0.3;

/** The texts that a link lies over, or that lie over it. */
export interface Covered {
  texts: Text[];
  /** Whether a letter is within the link. */
  holds: (glyph: Glyph) => boolean;
}

/**
 * Where the texts of a document are drawn. A click opens the link that lies over a text, wherever that is in the
 * document: heights of nothing, floats, and spaces of negative width can each lay one over the other.
 */
export class Places {
  readonly #document: Document;
  readonly #known = new Map<Text, DOMRect[]>();
  #strips: Map<number, Text[]> | undefined;

  constructor(document: Document) {
    this.#document = document;
  }

  coveredBy(link: Element): Covered {
    const parts = [link, ...link.querySelectorAll("*")].slice(0, MOST_PARTS);
    const boxes = parts.flatMap((part) => [...part.getClientRects()]).filter(({ width, height }) =>
      width > 0 && height > 0
    );
    const found = this.#around(boxes).filter((text) => !link.contains(text));
    const holds = ({ left, right, middle }: Glyph) =>
      boxes.some((box) => {
        const center = (left + right) / 2;
        return box.left < center && center < box.right && box.top < middle && middle < box.bottom;
      });
    return { texts: found.filter((text) => this.#touches(text, boxes)), holds };
  }

  /**
   * The texts that a word of a link may go on in, whatever elements they are in: those beside it on its lines, and
   * what is beside them as far as they have no space.
   */
  besides(link: Element, own: Text[]): Text[] {
    const found = new Set(own);
    for (const text of found) {
      if (found.size > own.length + MOST_BESIDE) break;
      if (!link.contains(text) && /\s/.test(text.data.trim())) continue;
      const rects = this.#rects(text);
      for (const other of this.#around(rects)) {
        if (
          !found.has(other) && this.#rects(other).some((one) => rects.some((rect) => isBeside(one, rect)))
        ) {
          found.add(other);
        }
      }
    }
    return [...found].slice(own.length);
  }

  #around(boxes: DOMRect[]): Text[] {
    const all = this.#all();
    const around = new Set(boxes.flatMap(({ top, bottom }) => strips(top, bottom)));
    return [...new Set([...around].flatMap((strip) => all.get(strip) ?? []))];
  }

  #touches(text: Text, boxes: DOMRect[]): boolean {
    return this.#rects(text).some((one) =>
      boxes.some((box) => {
        const middle = (one.top + one.bottom) / 2;
        return one.left < box.right - 1 && box.left < one.right - 1 && box.top < middle &&
          middle < box.bottom;
      })
    );
  }

  #all(): Map<number, Text[]> {
    if (this.#strips) return this.#strips;
    const found = this.#strips = new Map<number, Text[]>();
    const walker = this.#document.createTreeWalker(this.#document.body, NodeFilter.SHOW_TEXT);
    for (let count = 0, node = walker.nextNode(); node && count < MOST_TEXTS; node = walker.nextNode()) {
      const text = node as Text;
      if (!/\S/.test(text.data)) continue;
      count += 1;
      for (const { top, bottom } of this.#rects(text)) {
        for (const strip of strips(top, bottom)) {
          const there = found.get(strip);
          if (!there) found.set(strip, [text]);
          else if (there[there.length - 1] !== text) there.push(text);
        }
      }
    }
    return found;
  }

  #rects(text: Text): DOMRect[] {
    const known = this.#known.get(text);
    if (known) return known;
    const range = this.#document.createRange();
    range.selectNodeContents(text);
    const rects = [...range.getClientRects()];
    this.#known.set(text, rects);
    return rects;
  }
}

/** Whether two texts are on one line, and not far from each other. */
function isBeside(one: DOMRect, other: DOMRect): boolean {
  const height = Math.max(one.height, other.height);
  return Math.abs(one.top + one.bottom - other.top - other.bottom) < height &&
    one.left - other.right < height * NEAR && other.left - one.right < height * NEAR;
}

/** The strips that lie between two heights. */
function strips(top: number, bottom: number): number[] {
  const first = Math.floor(top / STRIP);
  return Array.from({ length: Math.floor(bottom / STRIP) - first + 1 }, (_, index) => first + index);
}
