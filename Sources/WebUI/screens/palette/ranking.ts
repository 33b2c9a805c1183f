/** Something that can be found by its name. */
export interface Findable {
  title: string;
  /** Other words for it. */
  words?: string;
}

/** The most that is shown: typing more finds the rest. */
const MOST = 40;

/** Those that have all words of the text in them, the best first. Equals stay in their order. */
export function found<T extends Findable>(items: T[], text: string): T[] {
  const wanted = fold(text).split(/\s+/).filter(Boolean);
  return items
    .map((item, index) => ({ item, index, score: score(item, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || left.index - right.index)
    .slice(0, MOST)
    .map(({ item }) => item);
}

/** 0 where a word is missing. */
function score({ title, words = "" }: Findable, wanted: string[]): number {
  const name = fold(title);
  const all = fold(`${title} ${words}`);
  if (!wanted.every((word) => all.includes(word))) return 0;
  if (name.startsWith(wanted.join(" "))) return 4;
  if (wanted.every((word) => startsWord(name, word))) return 3;
  if (wanted.every((word) => startsWord(all, word))) return 2;
  return 1;
}

function startsWord(text: string, word: string): boolean {
  return ` ${text.replace(/[^\p{L}\p{N}@.]+/gu, " ")}`.includes(` ${word}`);
}

/** Without accents, in lower case. */
function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
}
