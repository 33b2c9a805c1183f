import type { NodeSpec, ParseRule } from "./prosemirror.ts";

/** The element that a folded quote is read from; its value is the quote's HTML. */
export const FOLDED = "data-mk-folded";

const MOST_COLUMNS = 100;

function count(element: HTMLElement, name: string): number {
  const value = Number(element.getAttribute(name) ?? 1);
  return Number.isInteger(value) && value > 1 && value <= MOST_COLUMNS ? value : 1;
}

/** A size in pixels, or null. */
function pixels(element: HTMLElement, name: string): number | null {
  const value = parseInt(element.getAttribute(name) ?? "", 10);
  return value > 0 && value <= 4000 && !element.getAttribute(name)?.includes("%") ? value : null;
}

/** A line break at the end of a block shows nothing. */
const lastBreak: ParseRule = {
  tag: "br",
  ignore: true,
  getAttrs: (element) => {
    const { parentElement: parent, nextSibling: next } = element;
    const isLast = !next || (next.nodeType === 3 && !next.nextSibling && !next.textContent?.trim());
    return isLast && parent && /^(P|DIV|LI|T[DH]|H[1-6])$/.test(parent.tagName) ? null : false;
  },
};

function cell(tag: "td" | "th"): NodeSpec {
  return {
    content: "block+",
    isolating: true,
    attrs: { colspan: { default: 1 }, rowspan: { default: 1 } },
    parseDOM: [{
      tag,
      getAttrs: (element) => ({ colspan: count(element, "colspan"), rowspan: count(element, "rowspan") }),
    }],
    toDOM: ({ attrs: { colspan, rowspan } }) => [
      tag,
      { colspan: colspan === 1 ? null : colspan, rowspan: rowspan === 1 ? null : rowspan },
      0,
    ],
  };
}

const BLOCKS = "p, div, ul, ol, table, blockquote, pre, h1, h2, h3, h4, h5, h6, hr";

/** The classes by which the program knows the signature, and the line above a quote. */
const SIGNATURE = "moz-signature";
const INTRODUCTION = "moz-cite-prefix";

const text: Record<
  "doc" | "paragraph" | "introduction" | "heading" | "code_block" | "hard_break" | "text",
  NodeSpec
> = {
  doc: { content: "block+" },
  paragraph: {
    content: "inline*",
    group: "block",
    // A line without space below it, as other programs write each line.
    attrs: { isLine: { default: false } },
    parseDOM: [{ tag: "p" }, { tag: `div:not(:has(${BLOCKS}))`, getAttrs: () => ({ isLine: true }) }],
    toDOM: ({ attrs }) => [attrs.isLine ? "div" : "p", 0],
  },
  // The line that says whose words follow.
  introduction: {
    content: "inline*",
    group: "block",
    parseDOM: [{ tag: `div.${INTRODUCTION}`, priority: 60 }],
    toDOM: () => ["div", { class: INTRODUCTION }, 0],
  },
  heading: {
    content: "inline*",
    group: "block",
    defining: true,
    attrs: { level: { default: 1 } },
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({
      tag: `h${level}`,
      getAttrs: () => ({ level: Math.min(level, 3) }),
    })),
    toDOM: ({ attrs }) => [`h${attrs.level}`, 0],
  },
  code_block: {
    content: "text*",
    group: "block",
    marks: "",
    code: true,
    defining: true,
    parseDOM: [{ tag: "pre", preserveWhitespace: "full" }],
    toDOM: () => ["pre", 0],
  },
  hard_break: {
    inline: true,
    group: "inline",
    selectable: false,
    parseDOM: [lastBreak, { tag: "br" }],
    toDOM: () => ["br"],
    leafText: () => "\n",
  },
  text: { group: "inline" },
};

const groups: Record<"blockquote" | "bullet_list" | "ordered_list" | "list_item" | "signature", NodeSpec> = {
  signature: {
    content: "block+",
    group: "block",
    defining: true,
    parseDOM: [{ tag: `div.${SIGNATURE}`, priority: 60 }],
    toDOM: () => ["div", { class: SIGNATURE }, 0],
  },
  blockquote: {
    content: "block+",
    group: "block",
    defining: true,
    attrs: { isCited: { default: false } },
    parseDOM: [{
      tag: "blockquote",
      getAttrs: (element) => ({ isCited: element.getAttribute("type") === "cite" }),
    }],
    toDOM: ({ attrs }) => ["blockquote", { type: attrs.isCited ? "cite" : null }, 0],
  },
  bullet_list: {
    content: "list_item+",
    group: "block",
    parseDOM: [{ tag: "ul" }],
    toDOM: () => ["ul", 0],
  },
  ordered_list: {
    content: "list_item+",
    group: "block",
    attrs: { start: { default: 1 } },
    parseDOM: [{
      tag: "ol",
      getAttrs: (element) => ({ start: parseInt(element.getAttribute("start") ?? "1", 10) || 1 }),
    }],
    toDOM: ({ attrs: { start } }) => ["ol", { start: start === 1 ? null : start }, 0],
  },
  list_item: {
    content: "paragraph block*",
    defining: true,
    parseDOM: [{ tag: "li" }],
    toDOM: () => ["li", 0],
  },
};

const table: Record<"table" | "table_row" | "table_cell" | "table_header", NodeSpec> = {
  table: {
    content: "table_row+",
    group: "block",
    isolating: true,
    parseDOM: [{ tag: "table" }],
    toDOM: () => ["table", ["tbody", 0]],
  },
  table_row: {
    content: "(table_cell | table_header)+",
    parseDOM: [{ tag: "tr" }],
    toDOM: () => ["tr", 0],
  },
  table_cell: cell("td"),
  table_header: cell("th"),
};

const objects: Record<"image" | "remote_image" | "horizontal_rule" | "folded", NodeSpec> = {
  // One of the original that is on another computer. It is not loaded here; the recipient's program may.
  remote_image: {
    inline: true,
    group: "inline",
    attrs: { url: {}, alt: { default: "" }, width: { default: null }, height: { default: null } },
    parseDOM: [{
      tag: "img[data-src]",
      priority: 60,
      getAttrs: (element) => ({
        url: element.getAttribute("data-src"),
        alt: element.getAttribute("alt") ?? "",
        width: pixels(element, "width"),
        height: pixels(element, "height"),
      }),
    }],
    toDOM: ({ attrs: { alt } }) => ["span", { class: "remote-image" }, `Image${alt ? `: ${alt}` : ""}`],
  },
  image: {
    inline: true,
    group: "inline",
    draggable: true,
    attrs: {
      cid: { default: null },
      // An image in pasted HTML, until it is an attachment.
      data: { default: null },
      alt: { default: "" },
      width: { default: null },
      height: { default: null },
    },
    parseDOM: [{
      tag: "img[src]",
      getAttrs: (element) => {
        const src = element.getAttribute("src") ?? "";
        const cid = element.getAttribute("data-cid") ?? /^cid:(.+)$/i.exec(src)?.[1] ?? null;
        const data = /^data:image\/(png|jpeg|gif|webp);base64,/i.test(src) ? src : null;
        // Nothing on another computer is ever fetched for what is pasted.
        if (!cid && !data) return false;
        const [width, height] = [pixels(element, "width"), pixels(element, "height")];
        return { cid, data: cid ? null : data, alt: element.getAttribute("alt") ?? "", width, height };
      },
    }],
    toDOM: ({ attrs: { cid, alt, width, height } }) => [
      "img",
      { src: `cid:${cid}`, "data-cid": cid, alt, width, height },
    ],
  },
  horizontal_rule: { group: "block", parseDOM: [{ tag: "hr" }], toDOM: () => ["hr"] },
  // The quoted original, as it came, until the user wants to see it.
  folded: {
    group: "block",
    atom: true,
    selectable: false,
    attrs: { html: { default: "" } },
    parseDOM: [{
      tag: `[${FOLDED}]`,
      priority: 90,
      getAttrs: (element) => ({ html: element.getAttribute(FOLDED) ?? "" }),
    }],
    toDOM: () => ["blockquote", { type: "cite" }],
  },
};

/** Everything that a message consists of, but for what marks words. */
export const nodes = { ...text, ...groups, ...table, ...objects };
