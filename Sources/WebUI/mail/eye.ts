import { brightness, type Color, colorOf, contrast, faded, isLost, over, WHITE } from "./colors.ts";

/** A letter where it is drawn. */
export interface Glyph {
  text: string;
  left: number;
  right: number;
  /** The middle of its line. */
  middle: number;
  height: number;
  /** It comes into view only when the part of the message around it is scrolled. */
  isAway: boolean;
  /** The letter before it in the same text, if nothing at all is between them. */
  before: Glyph | null;
  /** Why it may not be visible: its color, if what is behind it is unknown, or what is over it. Empty otherwise. */
  doubt: string;
  /** What it is the text of. */
  parent: Element;
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What an element inherits of what makes text visible or not. */
interface Sight {
  opacity: number;
  /** What can be seen, if need be by scrolling. */
  clip: Box;
  /** What can be seen without. */
  shown: Box;
  /** The color behind the text; null if it is not a plain one. */
  backdrop: Color | null;
  /** An image or a gradient is behind the text. */
  isPictured: boolean;
  /** A line is drawn through the text. It may be as thick as the letters of an element around are large. */
  isStruck: boolean;
  /** The text ends in an ellipsis, under which its letters still have their places. */
  isCut: boolean;
}

const EVERYWHERE: Box = { left: 0, top: 0, right: Infinity, bottom: Infinity };
/** Letters that are smaller than so many pixels cannot be read. */
const LEAST_SIZE = 6;
/** Letters that are closer together by more than this part of their size cannot be read either. */
const MOST_SQUEEZED = 0.15;
/** So many letters of a message are compared with what is drawn over them; others are when their link is used. */
const MOST_COMPARED = 20_000;
/** Places of so many letters of a text are looked at: half of them at its beginning, and half at its end. */
const [LEAST_GLYPHS, MOST_GLYPHS] = [200, 4000];
/** Finding the place of a letter takes the longer, the longer its text is. */
const MOST_WORK = 40_000_000;
/** Where a letter must be on top to be seen, in parts of its width and of its height. */
const POINTS: [across: number, down: number][] = [[0.4, 0.45], [0.55, 0.65]];
/** Without what is drawn once or never however often it is there: many of them must not use up the places. */
const LETTERS = /\s(?!\s)|[^\s\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Sees the text of a document as a person does: what is drawn, and where. It remembers how elements look, and is
 * made again when that may have changed.
 */
export class Eye {
  /** Whether the style sheets or attributes may make text. */
  readonly hasDrawnText: boolean;
  readonly #document: Document;
  readonly #sights = new Map<Element, Sight>();
  readonly #glyphs = new Map<Text, Glyph[]>();
  readonly #compared = new Set<Glyph>();

  constructor(seen: Document, hasDrawnText: boolean) {
    this.#document = seen;
    this.hasDrawnText = hasDrawnText;
  }

  style(element: Element, pseudo?: string): CSSStyleDeclaration {
    return getComputedStyle(element, pseudo);
  }

  /** Whether texts have so many letters that not all of them are looked at. */
  isTooLong(texts: Text[]): boolean {
    const most = Math.min(...texts.map(mostGlyphs));
    const all = texts.map((text) => text.data).join("");
    return all.length > most && [...all.matchAll(LETTERS)].length > most;
  }

  /** Which part of a text can be seen, from 0 to 1, as far as its lines tell. */
  shareSeen(node: Text): number {
    const sight = node.parentElement && this.#legible(node.parentElement);
    if (!sight) return 0;
    const range = this.#document.createRange();
    range.selectNodeContents(node);
    let [all, seen] = [0, 0];
    for (const box of range.getClientRects()) {
      const { wide, high } = within(box, sight.clip);
      all += box.width * box.height;
      seen += Math.max(0, wide) * Math.max(0, high);
    }
    return all === 0 ? 0 : seen / all;
  }

  /** The letters of a text that can be seen, each with its place. */
  glyphs(node: Text): Glyph[] {
    const known = this.#glyphs.get(node) ?? this.#read(node);
    this.#glyphs.set(node, known);
    return known;
  }

  #read(node: Text): Glyph[] {
    const parent = node.parentElement;
    const sight = parent && this.#legible(parent);
    if (!sight) return [];
    const doubt = (sight.isPictured ? this.style(parent).color : "") + (sight.isStruck ? " struck" : "") +
      (sight.isCut ? " cut" : "");
    const range = this.#document.createRange();
    const seen: Glyph[] = [];
    let before: Glyph | null = null;
    let end = 0;
    for (const { 0: text, index } of someOf([...node.data.matchAll(LETTERS)], mostGlyphs(node))) {
      if (index !== end) before = null;
      end = index + text.length;
      range.setStart(node, index);
      range.setEnd(node, end);
      // A collapsed character has no box, and one at the end of a line may have two.
      const boxes = range.getClientRects();
      const box = boxes[boxes.length - 1];
      if (!box || !isWithin(box, sight.clip)) {
        before = null;
        continue;
      }
      const { left, right, top, height } = box;
      const isAway = !isWithin(box, sight.shown);
      before = { text, left, right, middle: top + height / 2, height, isAway, before, doubt, parent };
      seen.push(before);
    }
    return seen;
  }

  /** Null if nothing that an element writes can be read, wherever it stands. */
  #legible(element: Element): Sight | null {
    const style = this.style(element);
    if (style.visibility !== "visible" || !isLegible(style)) return null;
    const sight = this.#sight(element);
    const color = faded(colorOf(style.color), sight.opacity);
    return sight.opacity < 0.1 || isLost(color, sight.backdrop) ? null : sight;
  }

  /**
   * Doubts the letters that something else is drawn over, be it other letters.
   *
   * What lies over them may let them through, but it has no business there.
   */
  doubtCovered(glyphs: Glyph[]): void {
    for (const glyph of glyphs) {
      if (this.#compared.has(glyph) || this.#compared.size >= MOST_COMPARED) continue;
      this.#compared.add(glyph);
      if (!glyph.isAway && this.#isCovered(glyph)) glyph.doubt += " covered";
    }
  }

  /** How well an element's text stands out from what is behind it; null if either color is unknown. */
  contrast(element: Element): { ratio: number; isOnLight: boolean } | null {
    const { opacity, backdrop } = this.#sight(element);
    const text = over(faded(colorOf(this.style(element).color), opacity), backdrop);
    if (!text || !backdrop) return null;
    return { ratio: contrast(text, backdrop), isOnLight: brightness(backdrop) > 0.18 };
  }

  #isCovered({ text, left, right, middle, height, parent }: Glyph): boolean {
    const { clip } = this.#sight(parent);
    return /\S/.test(text) && POINTS.some(([across, down]) => {
      const x = left + (right - left) * across;
      const y = middle + height * (down - 0.5);
      if (x < clip.left || x > clip.right || y < clip.top || y > clip.bottom) return false;
      // Nothing is known of what is outside of the frame.
      const top = this.#document.elementFromPoint(x, y);
      return top !== null && top !== parent;
    });
  }

  #sight(element: Element): Sight {
    const known = this.#sights.get(element);
    if (known) return known;
    const made = this.#look(element);
    this.#sights.set(element, made);
    return made;
  }

  #look(element: Element): Sight {
    const style = this.style(element);
    const parent = element.parentElement;
    const around = parent ? this.#sight(parent) : this.#outermost(style);
    const behind = colorOf(style.backgroundColor);
    const isPicture = style.backgroundImage !== "none";
    const { body } = this.#document;
    const isClipped = style.overflowX !== "visible" && parent !== null && element !== body;
    // A message that is too wide as a whole scrolls sideways: that is no hiding.
    const isWhole = parent === body;
    return {
      opacity: around.opacity * Number(style.opacity),
      clip: isClipped ? clipped(element, around.clip, style) : around.clip,
      shown: isClipped ? clipped(element, around.shown, isWhole ? style : undefined) : around.shown,
      backdrop: isPicture ? null : over(behind, around.backdrop),
      isPictured: isPicture || around.isPictured && !(behind && behind[3] === 1),
      isStruck: around.isStruck || style.textDecorationLine.includes("line-through"),
      isCut: around.isCut || isClipped && endsInEllipsis(element, style),
    };
  }

  #outermost(style: CSSStyleDeclaration): Sight {
    const isLight = !style.colorScheme.includes("dark");
    // Wide content extends to the right of the frame.
    const shown = { ...EVERYWHERE, right: this.#document.defaultView?.innerWidth ?? Infinity };
    return {
      opacity: 1,
      clip: EVERYWHERE,
      shown,
      backdrop: isLight ? WHITE : null,
      isPictured: false,
      isStruck: false,
      isCut: false,
    };
  }
}

function mostGlyphs({ length }: Text): number {
  return Math.round(Math.max(LEAST_GLYPHS, Math.min(MOST_GLYPHS, MOST_WORK / length)));
}

function someOf<Item>(all: Item[], most: number): Item[] {
  return all.length > most ? [...all.slice(0, most / 2), ...all.slice(-most / 2)] : all;
}

/** What of a box can be seen; with `style` if need be by scrolling it. */
function clipped(element: Element, around: Box, style?: CSSStyleDeclaration): Box {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const scrolls = (value: string | undefined) => value === "auto" || value === "scroll";
  return {
    left: Math.max(left, around.left),
    top: Math.max(top, around.top),
    right: scrolls(style?.overflowX) ? around.right : Math.min(right, around.right),
    bottom: scrolls(style?.overflowY) ? around.bottom : Math.min(bottom, around.bottom),
  };
}

function endsInEllipsis(element: Element, { textOverflow, webkitLineClamp }: CSSStyleDeclaration): boolean {
  return textOverflow !== "clip" && element.scrollWidth > element.clientWidth ||
    webkitLineClamp !== "none" && element.scrollHeight > element.clientHeight;
}

function isWithin(box: DOMRect, clip: Box): boolean {
  if (box.width === 0 || box.height === 0) return false;
  const { wide, high } = within(box, clip);
  return wide > box.width / 3 && high > box.height / 3;
}

function within({ left, top, right, bottom }: DOMRect, clip: Box): { wide: number; high: number } {
  return {
    wide: Math.min(right, clip.right) - Math.max(left, clip.left),
    high: Math.min(bottom, clip.bottom) - Math.max(top, clip.top),
  };
}

function isLegible({ fontSize, letterSpacing }: CSSStyleDeclaration): boolean {
  const size = parseFloat(fontSize);
  const spacing = parseFloat(letterSpacing) || 0;
  return size >= LEAST_SIZE && spacing >= -size * MOST_SQUEEZED;
}
