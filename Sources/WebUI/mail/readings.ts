import type { Eye, Glyph } from "./eye.ts";
import { plain } from "./hosts.ts";
import { doubted } from "./doubted.ts";
import type { Places } from "./places.ts";

/** Elements between which text does not go on. */
const BREAKS = new Set(
  ("ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BR CAPTION CENTER DD DETAILS DIR DIV DL DT FIGCAPTION FIGURE FOOTER H1 H2 " +
    "H3 H4 H5 H6 HEADER HR LI MAIN MENU NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL")
    .split(" "),
);
/** Of the text beside a link so many pieces are looked at. */
const MOST_BESIDE = 12;
/** Between letters that are so many times their height apart, a text ends. */
const APART = 2;

/**
 * The text of a link in every way in which a person may read it: as it is written, without what is hidden, in the
 * order on the screen, with the letters that touch it or that it lies over, and what a screen reader says.
 *
 * None of them is the right one for certain, for there are ever more ways to hide a letter. So each counts.
 *
 * @returns nothing, quickly, if no address can be among them
 */
export function readings(link: Element, eye: Eye, places: Places): string[] {
  const own = textsIn(link);
  const before = beside(link, "previous");
  const after = beside(link, "next");
  const drawn = madeByStyle(link, eye);
  const written = own.map((one) => typeof one === "string" ? one : one.data).join("");
  const spoken = link.getAttribute("aria-label") ?? "";
  const around = before.map((text) => text.data).join("") + written + after.map((text) => text.data).join("");
  const covered = places.coveredBy(link);
  const under = covered.texts.map((text) => text.data).join(" ");
  if (!/[.:]/.test(plain(`${around} ${under} ${drawn} ${spoken}`))) return [];

  const seen: { shown: string; glyphs: Glyph[] }[] = own.map((one) => {
    if (typeof one === "string") return { shown: one, glyphs: [] };
    const glyphs = eye.glyphs(one);
    return { shown: glyphs.map((glyph) => glyph.text).join(""), glyphs };
  });
  const glyphs = seen.flatMap((one) => one.glyphs);
  const neighbours = (texts: Text[]) => texts.flatMap((text) => eye.glyphs(text));
  return [
    written,
    seen.map((one) => one.shown).join(""),
    linesOf(glyphs),
    cut(linesOf(glyphs.filter((glyph) => !glyph.isAway))),
    ...stretches(lines(glyphs)),
    ...doubted(glyphs, linesOf),
    ...touching(glyphs, [...neighbours(before), ...neighbours(after)]),
    ...words(neighbours(covered.texts)).filter((word) => word.some(covered.holds)).map(textOf),
    drawn,
    spoken,
  ];
}

/** The texts of an element, with a space where one of them does not go on, and the words in place of images. */
function textsIn(root: Element): (Text | string)[] {
  const found: (Text | string)[] = [];
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) found.push(node as Text);
    else if (BREAKS.has(node.nodeName)) found.push(" ");
    else if (node.nodeName === "IMG" && (node as HTMLImageElement).naturalWidth === 0) {
      found.push(` ${(node as HTMLImageElement).alt} `);
    }
  }
  return found;
}

/** The texts before or after a link as far as no space and no line end comes between. */
function beside(link: Element, side: "previous" | "next"): Text[] {
  const found: Text[] = [];
  const root = link.closest("body") ?? link;
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  walker.currentNode = side === "previous" ? link : lastWithin(link);
  for (let steps = 0; steps < MOST_BESIDE; steps += 1) {
    const node = side === "previous" ? walker.previousNode() : walker.nextNode();
    if (!node || BREAKS.has(node.nodeName)) break;
    if (node.nodeType !== Node.TEXT_NODE) continue;
    const { data } = node as Text;
    if (side === "previous") found.unshift(node as Text);
    else found.push(node as Text);
    if (
      /\s/.test(data.trim()) || /^\s/.test(data) && side === "next" || /\s$/.test(data) && side === "previous"
    ) break;
  }
  return found;
}

function lastWithin(element: Element): Node {
  let last: Node = element;
  while (last.lastChild) last = last.lastChild;
  return last;
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
    if (line && first && Math.abs(first.middle - glyph.middle) < Math.min(first.height, glyph.height) / 2) {
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
function touching(own: Glyph[], others: Glyph[]): string[] {
  if (others.length === 0) return [];
  const mine = new Set(own);
  const isMixed = (word: Glyph[]) => word.some((one) => mine.has(one)) && word.some((one) => !mine.has(one));
  return words([...own, ...others]).filter(isMixed).map(textOf);
}

/** Letters without space between them. */
function words(glyphs: Glyph[]): Glyph[][] {
  const found: Glyph[][] = [];
  for (const line of lines(glyphs)) {
    const word: Glyph[] = [];
    for (const glyph of line) {
      const last = word[word.length - 1];
      const isApart = last && glyph.left - last.right > glyph.height * 0.15;
      if (isApart || /\s/.test(glyph.text)) found.push(word.splice(0));
      if (!/\s/.test(glyph.text)) word.push(glyph);
    }
    found.push(word);
  }
  return found;
}
