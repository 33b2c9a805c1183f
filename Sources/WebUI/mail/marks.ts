import type { SearchMark } from "../jmap/vendor.ts";

/** The name of the highlights. They mark places without changing the message. */
export const FOUND = "found";

/** No more text of a message is looked through, and no more places are marked. */
const MOST_WORDS = 100_000;
const MOST_PLACES = 1_000;

/** A place in one of several texts that follow one another. */
export interface Found {
  /** The text that it begins in, and where. */
  from: [text: number, offset: number];
  to: [text: number, offset: number];
}

interface Word {
  folded: string;
  text: number;
  start: number;
  end: number;
}

/** Where the words are that were looked for, in order; a phrase can go from one text into the next. */
export function findMarks(texts: string[], marks: SearchMark[]): Found[] {
  if (marks.length === 0) return [];
  const words = wordsOf(texts);
  const found: Found[] = [];
  for (let at = 0; at < words.length && found.length < MOST_PLACES; at += 1) {
    const lengths = marks.filter((mark) => isAt(mark, words, at)).map((mark) => mark.words.length);
    const [first, last] = [words[at], words[at + Math.max(0, ...lengths) - 1]];
    if (lengths.length === 0 || !first || !last) continue;
    found.push({ from: [first.text, first.start], to: [last.text, last.end] });
    at += Math.max(...lengths) - 1;
  }
  return found;
}

function isAt({ words: wanted, isPrefix }: SearchMark, words: Word[], at: number): boolean {
  return wanted.length > 0 && wanted.every((word, index) => {
    const here = words[at + index]?.folded;
    return isPrefix && index === wanted.length - 1 ? here?.startsWith(word) : here === word;
  });
}

function wordsOf(texts: string[]): Word[] {
  const words: Word[] = [];
  for (const [text, content] of texts.entries()) {
    for (const { 0: word, index } of content.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
      words.push({ folded: folded(word), text, start: index, end: index + word.length });
      if (words.length >= MOST_WORDS) return words;
    }
  }
  return words;
}

/** As the program compares words: without case and diacritics. */
function folded(word: string): string {
  return word.toLowerCase().normalize("NFD").replace(/\p{M}+/gu, "");
}

/** Marks the places in a message, and returns them. */
export function markFound(inside: Document, marks: SearchMark[]): Range[] {
  const view = inside.defaultView;
  const nodes = marks.length > 0 ? textNodes(inside) : [];
  const ranges = findMarks(nodes.map((node) => node.data), marks).map(({ from, to }) => {
    const range = inside.createRange();
    range.setStart(nodes[from[0]] as Text, from[1]);
    range.setEnd(nodes[to[0]] as Text, to[1]);
    return range;
  });
  // Without highlights, in older browsers, the place is brought into view all the same.
  if (view && "highlights" in view.CSS) {
    if (ranges.length > 0) view.CSS.highlights.set(FOUND, new view.Highlight(...ranges));
    else view.CSS.highlights.delete(FOUND);
  }
  return ranges;
}

function textNodes(inside: Document): Text[] {
  const nodes: Text[] = [];
  const walker = inside.createTreeWalker(inside.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.parentElement?.closest("style, script, title, noscript") === null) nodes.push(node);
  }
  return nodes;
}

/** A text in pieces, marked or not. */
export function markedPieces(text: string, marks: SearchMark[]): { text: string; isMarked: boolean }[] {
  const pieces: { text: string; isMarked: boolean }[] = [];
  let end = 0;
  for (const { from, to } of findMarks([text], marks)) {
    if (from[1] > end) pieces.push({ text: text.slice(end, from[1]), isMarked: false });
    pieces.push({ text: text.slice(from[1], to[1]), isMarked: true });
    end = to[1];
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isMarked: false });
  return pieces;
}
