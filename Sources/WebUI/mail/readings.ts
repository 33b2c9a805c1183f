import type { Eye, Glyph } from "./eye.ts";
import { plain } from "./hosts.ts";
import { doubted } from "./doubted.ts";
import type { Places } from "./places.ts";

/** Elements between which text does not go on. */
const BREAKS = new Set(
  ("ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BR CAPTION CENTER DD DETAILS DIR DIV DL DT FIGCAPTION FIGURE FOOTER H1 H2 " +
    "H3 H4 H5 H6 HEADER HR LI MAIL-BODY MAIN MENU NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL")
    .split(" "),
);
/** Between letters that are so many times their height apart, a text ends. */
const APART = 2;
/** And a word where they are so far apart, be there a space in the text or not. */
const SPACE = 0.13;
/** What is larger than so many pixels in either direction is no dot. */
const DOT = 6;

/**
 * The text of a link in every way in which a person may read it: as it is written, without what is hidden, in the
 * order on the screen, with the letters that touch it or that it lies over, and what a screen reader says.
 *
 * None of them is the right one for certain, for there are ever more ways to hide a letter. So each counts.
 *
 * @returns nothing, quickly, if no address can be among them; null if the text is too long to be read
 */
export function readings(link: Element, eye: Eye, places: Places): string[] | null {
  const own = textsIn(link);
  const texts = own.filter((one) => typeof one !== "string");
  const beside = places.besides(link, texts);
  const drawn = madeByStyle(link, eye);
  const written = own.map((one) => typeof one === "string" ? one : one.data).join("");
  const spoken = spokenIn(link);
  const covered = places.coveredBy(link);
  const around = [...beside, ...covered.texts].map((text) => text.data).join(" ");
  const isWeb = /^http/.test((link as HTMLAnchorElement).href);
  // Any sign may be lowered to a dot.
  if (isWeb && !/[\p{P}\p{S}]/u.test(plain(`${written} ${around} ${drawn} ${spoken}`))) return [];
  if (eye.isTooLong(texts)) return null;

  const seen = own.map((one) => {
    const glyphs = typeof one === "string" ? [] : eye.glyphs(one);
    return { shown: typeof one === "string" ? one : textOf(glyphs), glyphs };
  });
  const glyphs = seen.flatMap((one) => one.glyphs);
  const neighbors = (texts: Text[]) => texts.flatMap((text) => eye.glyphs(text));
  const near = [glyphs, ...touching(glyphs, neighbors(beside))];
  for (const letters of near) eye.doubtCovered(letters);
  return [
    written,
    seen.map((one) => one.shown).join(""),
    linesOf(glyphs),
    cut(linesOf(glyphs.filter((glyph) => !glyph.isAway))),
    ...stretches(lines(glyphs)),
    ...doubted(glyphs, linesOf),
    ...near.flatMap((letters) => [wordsOf(letters), ...doubted(letters, wordsOf)]),
    ...words(neighbors(covered.texts)).filter((word) => word.some(covered.holds)).map(wordOf),
    drawn,
    spoken,
  ];
}

/** The texts of an element, with a space where one of them does not go on, and the words in place of images. */
function textsIn(root: Element): (Text | string)[] {
  const found: (Text | string)[] = [];
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE && !isSpeck(node as Text, root)) found.push(node as Text);
    else if (node.nodeType === Node.TEXT_NODE || isDot(node as Element)) {
      // One dot may be several elements within each other.
      if (found[found.length - 1] !== ".") found.push(".");
    } else if (BREAKS.has(node.nodeName)) found.push(" ");
    else if (node.nodeName === "IMG" && (node as HTMLImageElement).naturalWidth === 0) {
      found.push(` ${(node as HTMLImageElement).alt} `);
    }
  }
  return found;
}

/** Whether an element without text is drawn as small as a dot. */
function isDot(element: Element): boolean {
  if (element.textContent?.trim()) return false;
  const { width, height } = element.getBoundingClientRect();
  return width >= 1 && width <= DOT && height >= 1 && height <= DOT;
}

/** Whether a letter or sign, whatever it is, is drawn as small as a dot. */
function isSpeck({ data, parentElement }: Text, root: Element): boolean {
  if (!parentElement || parentElement === root || [...data.trim()].length !== 1) return false;
  const { fontSize, visibility } = getComputedStyle(parentElement);
  const { width } = parentElement.getBoundingClientRect();
  return parseFloat(fontSize) < DOT && visibility === "visible" && width >= 1 && width <= DOT;
}

/** What a screen reader says. */
function spokenIn(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return (node as Text).data;
  const element = node.nodeType === Node.ELEMENT_NODE ? node as Element : null;
  const label = element?.getAttribute("aria-label");
  const image = element?.getAttribute("alt");
  return label || (image ? ` ${image} ` : "") || [...node.childNodes].map(spokenIn).join("");
}

/** Text that no element holds. The program's filter takes most of it out of mail. */
function madeByStyle(link: Element, eye: Eye): string {
  if (!eye.hasDrawnText) return "";
  const said: string[] = [];
  for (const element of [link, ...link.querySelectorAll("*")].slice(0, 50)) {
    const styles = [eye.style(element), eye.style(element, "::before"), eye.style(element, "::after")];
    for (const { content, listStyleType, display } of styles) {
      said.push(...quoted(content));
      if (display === "list-item") said.push(...quoted(listStyleType));
    }
    if (element.nodeName === "Q") said.push(...quoted(eye.style(element).quotes));
  }
  return said.join("");
}

function quoted(value: string): string[] {
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text);
}

/** Letters as they stand on the screen: line by line, and from left to right. */
function lines(glyphs: Glyph[]): Glyph[][] {
  const found: Glyph[][] = [];
  for (const glyph of [...glyphs].sort((one, other) => one.middle - other.middle)) {
    const line = found[found.length - 1];
    const first = line?.[0];
    if (line && first && Math.abs(first.middle - glyph.middle) < Math.max(first.height, glyph.height) / 2) {
      line.push(glyph);
    } else found.push([glyph]);
  }
  for (const line of found) line.sort((one, other) => one.left - other.left);
  return found;
}

/** Line by line. A word that is broken at the end of a line is whole. */
function linesOf(glyphs: Glyph[]): string {
  let text = "";
  let last: Glyph | undefined;
  for (const line of lines(glyphs)) {
    if (last && line[0]?.before !== last) text += "\n";
    text += textOf(line);
    last = line[line.length - 1];
  }
  return text;
}

/** A text that is cut off somewhere, and so says with certainty nothing but what is whole by itself. */
function cut(text: string): string {
  return text.replace(/https?:\/*|www\./gi, "");
}

function textOf(glyphs: Glyph[]): string {
  return glyphs.map((glyph) => glyph.text).join("");
}

/** What is read at once: a letter far to the right, or far below, belongs to another text. */
function stretches(all: Glyph[][]): string[] {
  const found = [""];
  let last: Glyph | undefined;
  for (const line of all) {
    for (const glyph of line) {
      const isBelow = last && Math.abs(glyph.middle - last.middle) > last.height / 2;
      const gap = last ? isBelow ? glyph.middle - last.middle - last.height : glyph.left - last.right : 0;
      if (gap > glyph.height * APART) found.push("");
      else if (isBelow && glyph.before !== last) found[found.length - 1] += "\n";
      found[found.length - 1] += glyph.text;
      last = glyph;
    }
  }
  return found.length > 1 ? found : [];
}

/** The words on the screen that consist of letters of a link and of others that touch them. */
function touching(own: Glyph[], others: Glyph[]): Glyph[][] {
  if (others.length === 0) return [];
  const mine = new Set(own);
  const mixed = words([...own, ...others]).flatMap(parts).filter((part) => part.some((one) => mine.has(one)));
  return mixed.every((word) => word.every((one) => mine.has(one))) ? [] : [mixed.flat()];
}

/** Of a list without spaces each entry is a word of its own. */
function parts(word: Glyph[]): Glyph[][] {
  const found: Glyph[][] = [[]];
  for (const [at, glyph] of word.entries()) {
    if (/[,;|<>"]/.test(glyph.text) && !isLow(word, at)) found.push([]);
    else found[found.length - 1]?.push(glyph);
  }
  return found;
}

/** Letters without space between them. */
function words(glyphs: Glyph[]): Glyph[][] {
  const found: Glyph[][] = [];
  let last: Glyph | undefined;
  for (const line of lines(glyphs.filter(({ text }) => /\S/.test(text)))) {
    for (const [at, glyph] of line.entries()) {
      // A word that is broken at the end of a line is whole.
      const isNext = last && (glyph.before === last || at > 0 && !isApart(last, glyph));
      if (isNext) found[found.length - 1]?.push(glyph);
      else found.push([glyph]);
      last = glyph;
    }
  }
  return found;
}

function isApart(one: Glyph, other: Glyph): boolean {
  return other.left - one.right > Math.max(one.height, other.height) * SPACE;
}

function wordsOf(glyphs: Glyph[]): string {
  return words(glyphs).map(wordOf).join(" ");
}

/** A small sign on the line is a dot, whatever it is elsewhere. */
function wordOf(word: Glyph[]): string {
  return word.map(({ text }, at) => isLow(word, at) && /[\p{P}\p{S}]/u.test(text) ? "." : text).join("");
}

/** Whether a letter is clearly lower than the one before it. */
function isLow(word: Glyph[], at: number): boolean {
  const [before, glyph] = [word[at - 1], word[at]];
  return before !== undefined && glyph !== undefined && glyph.middle - before.middle > before.height * 0.1;
}
