import type { Glyph } from "./eye.ts";

/** Of the colors of a link's letters so many are combined. */
const MOST_COLORS = 6;
/** Where a host may seem to end, if the rest of it is not seen. `bank.co.uk` is a host as a whole. */
const ENDS =
  /(?<=\.(?:com|net|org))(?=[\p{L}\d-])|(?<=\.(?:com|net|org|[a-z]{2}))(?=\.(?![a-z]{2}(?![\p{L}\d.-])))/giu;
/** Of a long text so many ends are tried. */
const MOST_ENDS = 40;

/**
 * Readings of a text that has an image or a gradient behind it. The colors behind the letters are unknown, so any of
 * its colors may be invisible, and so may everything after some point.
 */
export function doubted(glyphs: Glyph[], read: (seen: Glyph[]) => string): string[] {
  const colors = [...new Set(glyphs.map((glyph) => glyph.doubt))].filter((color) => color !== "");
  if (colors.length === 0) return [];
  const kept = subsets(colors).map((shown) => {
    const isShown = new Set(["", ...shown]);
    return read(glyphs.filter((glyph) => isShown.has(glyph.doubt)));
  });
  return [...kept, ...beginnings(read(glyphs))];
}

/** What may be seen of the colors. Of many each is seen alone, or hidden alone. */
function subsets(colors: string[]): string[][] {
  if (colors.length > MOST_COLORS) {
    return colors.flatMap((color) => [[color], colors.filter((other) => other !== color)]);
  }
  return Array.from(
    { length: 2 ** colors.length - 1 },
    (_, set) => colors.filter((_, index) => set & 1 << index),
  );
}

function beginnings(text: string): string[] {
  return [...text.matchAll(ENDS)].slice(0, MOST_ENDS).map(({ index }) => text.slice(0, index));
}
