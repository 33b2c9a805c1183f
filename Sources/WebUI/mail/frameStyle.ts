import { textOf } from "./colors.ts";
import { SURFACE } from "./darkColors.ts";
import { FOUND } from "./marks.ts";
import { GROWTH, growthOf, ROOMY } from "./textSize.ts";
import { WRAPPER } from "./wrapper.ts";

/** How mail looks in its frame: the person's text size and theme, and nothing that reaches beyond the frame. */
export interface FrameLook {
  /** Pixels of the page's `rem`. */
  rem: number;
  isDark: boolean;
  /** The message has its own colors, made for a white background. */
  isPaper: boolean;
}

/** What `<font size>` means, in parts of the text size. */
const FONT_SIZES: [attributes: string, rems: number][] = [
  ['[size="1"], [size="-2"]', 0.625],
  ['[size="2"], [size="-1"]', 0.8125],
  ['[size="3"]', 1],
  ['[size="4"], [size="+1"]', 1.125],
  ['[size="5"], [size="+2"]', 1.5],
  ['[size="6"], [size="+3"]', 2],
  ['[size="7"], [size="+4"]', 3],
];

/** Whether the message chooses colors: then it gets the white that it expects. */
export function choosesColors(html: string): boolean {
  return /\sbgcolor\s*=|\scolor\s*=|background(?:-color)?\s*:|[\s;"'{]color\s*:/i.test(html);
}

export function frameStyle({ rem, isDark, isPaper }: FrameLook): string {
  const isLight = isPaper || !isDark;
  const paper = !isDark ? "transparent" : isPaper ? "#ffffff" : textOf(SURFACE);
  const [text, muted, link, line] = isLight
    ? ["#171a21", "#565e6e", "#2556c4", "#d5d9e2"]
    : ["#e9ebf0", "#a5adbb", "#8db2ff", "#3a3f4b"];
  // What is around a message is ours: in a layer, "important" is stronger than anything that mail can say. A message
  // whose page is to be as high as its frame would never end, and one whose page is hidden would be blank.
  return `
    @layer {
      head, head * { display: none !important; }
      html, body, ${WRAPPER} { display: block !important; visibility: visible !important; opacity: 1 !important;
        float: none !important; position: static !important; transform: none !important; contain: none !important;
        height: auto !important; min-height: 0 !important; max-height: none !important; }
      html, body { width: auto !important; min-width: 0 !important; max-width: none !important;
        margin: 0 !important; writing-mode: horizontal-tb !important; }
      :root { ${GROWTH}: ${growthOf(rem)} !important; }
      [${ROOMY}] { height: auto !important; max-height: none !important; white-space: normal !important; }
      ${FONT_SIZES.map(([sizes, rems]) => `font:is(${sizes}) { font-size: ${rems}rem; }`).join("\n")}
    }
    @property --blocked-image { syntax: "*"; inherits: false; }
    :root { color-scheme: ${isLight ? "light" : "dark"}; font-size: ${rem}px; }
    html, body { margin: 0; padding: 0; background: ${paper}; }
    body { color: ${text}; font: 0.9375rem/1.55 Inter, system-ui, "Noto Sans", "DejaVu Sans", sans-serif;
      padding: ${isPaper && isDark ? "0.75rem" : "0.125rem"}; overflow-wrap: break-word; overflow: hidden; }
    ${WRAPPER} { max-width: 100%; overflow-x: auto; overflow-y: hidden; }
    img, video, table { max-width: 100%; }
    img { height: auto; }
    pre { white-space: pre-wrap; font: inherit; font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
    a { color: ${link}; }
    blockquote { margin: 0.5rem 0; padding-inline-start: 0.75rem; border-inline-start: 2px solid ${line};
      color: ${muted}; }
    a:focus-visible { outline: 2px solid ${link}; outline-offset: 2px; }
    ::highlight(${FOUND}) { background-color: #ffe9a8; color: #171a21; }
    .fold [data-folded] { display: none !important; }
    @media print {
      :root { color-scheme: light; }
      html, body { background: transparent; }
      body { color: #171a21; }
      a { color: #2556c4; }
      blockquote { color: #565e6e; border-color: #d5d9e2; }
    }
  `;
}
