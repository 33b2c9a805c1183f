import type { Attrs, MarkSpec, ParseRule } from "./prosemirror.ts";
import { STYLE } from "./quiet.ts";
import { readStyle, type TextStyle } from "./styles.ts";

/** Where a link may lead. */
export const SAFE = /^(https?:\/\/|mailto:|tel:)\S+$/i;

const known = new WeakMap<HTMLElement, TextStyle>();

function styleOf(element: HTMLElement): TextStyle {
  const style = known.get(element) ?? readStyle(element.getAttribute(STYLE) ?? "");
  known.set(element, style);
  return style;
}

/** What a style attribute says, on any element. */
function styled(attributes: (style: TextStyle) => Attrs | null | false): ParseRule {
  return {
    tag: `[${STYLE}]`,
    consuming: false,
    getAttrs: (element) => attributes(styleOf(element)),
  };
}

const FONT_SIZES = ["", "small", "small", "", "large", "large", "x-large", "x-large"];

/** `<font color size>`, which Thunderbird and others still write. */
function fontOf(element: HTMLElement): TextStyle {
  const size = element.getAttribute("size")?.trim() ?? "";
  const step = /^[+-]/.test(size) ? 3 + Number(size) : Number(size);
  const named = FONT_SIZES[Math.max(1, Math.min(7, step))] ?? "";
  return readStyle(`color: ${element.getAttribute("color") ?? ""}; font-size: ${size && named}`);
}

/** `<b style="font-weight: normal">` is how some programs wrap everything that they copy. */
const isMeant = (says: (style: TextStyle) => boolean | null) => (element: HTMLElement) =>
  says(styleOf(element)) === false ? false : null;

function look(
  name: "color" | "highlight" | "size",
  show: (span: HTMLElement, value: string) => void,
): MarkSpec {
  return {
    attrs: { value: {} },
    parseDOM: [
      styled((style) => style[name] !== null && { value: style[name] }),
      {
        tag: "font",
        consuming: false,
        getAttrs: (element) => {
          const value = fontOf(element)[name];
          return value !== null && { value };
        },
      },
    ],
    toDOM: ({ attrs }) => {
      const span = document.createElement("span");
      show(span, attrs.value as string);
      return span;
    },
  };
}

const SIZES: Record<string, string> = { small: "0.85em", large: "1.25em", "x-large": "1.6em" };

/** What words can be. The first is outermost. */
export const marks = {
  link: {
    attrs: { href: {} },
    inclusive: false,
    parseDOM: [{
      tag: "a[href]",
      getAttrs: (element) => {
        const href = (element.getAttribute("href") ?? "").trim();
        return SAFE.test(href) && { href };
      },
    }],
    toDOM: ({ attrs: { href } }) => ["a", { href, title: href, rel: "noopener noreferrer" }, 0],
  },
  // Colors were chosen on white paper: in the dark they are shown lighter, and what marks words darker.
  color: look("color", (span, value) => {
    span.style.color = `light-dark(${value}, color-mix(in oklab, ${value} 45%, white))`;
  }),
  highlight: look("highlight", (span, value) => {
    span.style.backgroundColor = `light-dark(${value}, color-mix(in oklab, ${value} 30%, black))`;
  }),
  size: look("size", (span, value) => {
    span.style.fontSize = SIZES[value] ?? "";
  }),
  bold: {
    parseDOM: [
      { tag: "b", getAttrs: isMeant((style) => style.isBold) },
      { tag: "strong", getAttrs: isMeant((style) => style.isBold) },
      styled((style) => style.isBold === true && null),
    ],
    toDOM: () => ["b", 0],
  },
  italic: {
    parseDOM: [
      { tag: "i", getAttrs: isMeant((style) => style.isItalic) },
      { tag: "em", getAttrs: isMeant((style) => style.isItalic) },
      styled((style) => style.isItalic === true && null),
    ],
    toDOM: () => ["i", 0],
  },
  // A link is underlined anyway.
  underline: {
    parseDOM: [
      { tag: "u" },
      { ...styled((style) => style.isUnderlined && null), tag: `[${STYLE}]:not(a, a *)` },
    ],
    toDOM: () => ["u", 0],
  },
  strike: {
    parseDOM: [{ tag: "s" }, { tag: "strike" }, { tag: "del" }, styled((style) => style.isStruck && null)],
    toDOM: () => ["s", 0],
  },
  code: {
    parseDOM: [{ tag: "code" }, { tag: "tt" }, { tag: "kbd" }, { tag: "samp" }],
    toDOM: () => ["code", 0],
  },
} satisfies Record<string, MarkSpec>;
