import { darken } from "./darken.ts";
import { frameStyle } from "./frameStyle.ts";
import { recolor } from "./legible.ts";
import { hasDarkStyle, setScheme } from "./ownDark.ts";
import { atTextSize } from "./textSize.ts";

interface Look {
  /** Pixels of the page's `rem`. */
  rem: number;
  isDark: boolean;
  /** Whether it keeps its colors, on white paper, where the page is dark. */
  isOriginal: boolean;
  /** The message chooses colors. */
  hasColors: boolean;
}

/** Gives a message its look: the text size and theme of the page, with the colors that the sender chose. */
export function dress(inside: Document, { rem, isDark, isOriginal, hasColors }: Look): void {
  const sheet = sheetOf(inside);
  const turnsDark = isDark && hasColors && !isOriginal;
  const hasOwnStyle = turnsDark && hasDarkStyle(inside);
  setScheme(inside, hasOwnStyle);
  const look = { isDark: hasOwnStyle, isPaper: hasColors && !hasOwnStyle };
  atTextSize(inside, rem, (size) => sheet.textContent = frameStyle({ ...look, rem: size }));
  recolor(inside);
  const colors = turnsDark ? darken(inside, hasOwnStyle) : null;
  const isPaper = hasColors && colors === null;
  sheet.textContent = frameStyle({ rem, isDark, isPaper }) + (colors ?? "");
}

function sheetOf(inside: Document): HTMLStyleElement {
  const found = inside.head.querySelector("style");
  if (found) return found;
  const made = inside.createElement("style");
  inside.head.append(made);
  return made;
}
