import type { Suffixes } from "./suffixes.ts";

/** A host that a text names. */
export interface NamedHost {
  /** As written, without invisible characters. */
  text: string;
  /** As a browser reads it. */
  host: string;
}

/**
 * Names of files with endings that are endings of hosts too, without `https://`. Where hosts of a country have the
 * ending, only names that files alone have are taken for them.
 */
const FILE = new RegExp(
  "^(?:[^.]+\\.(?:zip|mov)|(?:readme|changelog|contributing|security|license|setup|main|lib|mod|index|install|" +
    "configure|build|tests?|conftest|__init__)\\.(?:md|py|rs|sh|pl|ps))$",
  "i",
);

/** Letters of other scripts that look like Latin ones, as far as endings of hosts are made of them. */
const OTHERS = "аеорсухѕіјԁԛԝһӏмткгпвнοανρτικυոօցսհɡɑıⲟϲⲥⲙჿΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹВН";
const LATIN = "aeopcyxsijdqwhlmtkrnbhoavptikunoguhgaioccmoabezhikmnoptyxcbh";
/** Other letters that may look like any Latin one. Those of East Asia stand beside Latin ones in honest text. */
const ALIEN = /(?![a-z\d\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}])[\p{L}\p{N}]/gu;

/** Signs between letters that may look like a dot, except those that are as large as letters. */
const SIGNS = /(?<=[\p{L}\p{N}])(?![!-~©®\p{Emoji_Presentation}])[\p{Po}\p{So}](?=[\p{L}\p{N}])/gu;
/** White letters on black, which no normal form changes. */
const BOXED = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]/gu;
const DOTS =
  /[\u00b7\u0387\u0660\u06d4\u06f0\u0701\u0702\u1427\u16eb\u2024\u2027\u2219\u22c5\u2e31\u2e33\u3002\ua4f8\ua60e\ua78f\uff61\u{10101}\u{10a50}\u{1d16d}]/gu;
const SLASHES = /[\u2044\u2215\u29f8\u{1735}\u2571]/gu;
const COLONS = /[\u02d0\u02f8\u0589\u05c3\u2236\ua789]/gu;
const HYPHENS = /[\u2010-\u2015\u2212\u02d7\u06d4\u2043]/gu;
/** Signs that stand between two words as well as they stand for a hyphen or dot, and small letters behind a word. */
const BETWEEN =
  /[\u00b7\u2012-\u2015\u2022\u2027\u2043\u2120\u2122\u2219\u22c5]|(?<=[\p{L}\p{N}])[\p{Lm}\p{No}\p{So}ªº]+(?![\p{L}\p{N}])/gu;
/** Marks that stand alone and low, as far as signs are not dots anyway. */
const LOW =
  /(?<=[\p{L}\p{N}])[\u00b8\u02cc-\u02cf\u02db\u02ef-\u02f3\u02f7\u02fb-\u02ff\u201a\ua788](?=[\p{L}\p{N}])/gu;
/** Spaces of nearly no width. */
const THIN = /[\u2005\u2006\u2008\u2009\u200a\u202f\u205f\u2800]/gu;
/** A combining mark after one of them has no letter to combine with. */
const LONE = new RegExp(`(?<=[\\p{L}\\p{N}])${THIN.source}+\\p{M}+${THIN.source}*(?=[\\p{L}\\p{N}])`, "gu");
// Signs that are not drawn, and those that only turn the order round.
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?!\s)\p{Cc}/gu;

/** A text in the letters that it seems to be written in. */
export function plain(text: string): string {
  return text.replace(LOW, ".").replace(LONE, ".").replace(THIN, "").normalize("NFKC").replace(UNSEEN, "")
    .replace(BOXED, (letter) => String.fromCharCode(97 + ((letter.codePointAt(0) ?? 0) - 0x1f150) % 32))
    .replace(DOTS, ".").replace(SLASHES, "/").replace(COLONS, ":").replace(HYPHENS, "-").replace(SIGNS, ".")
    // A combining mark that forms no letter with a Latin one is decoration.
    .replace(/(?<=[a-z\d.])\p{M}+/giu, "")
    // Letters with spaces between them, `paypal[.]com` and `paypal . com`.
    .replace(/(?<!\S)(?:\S\s){4,}\S(?!\S)/gu, (spaced) => spaced.replace(/\s/g, ""))
    .replace(/\s*[[({]\s*\.\s*[\])}]\s*/g, ".").replace(/\s+\.\s*(?=\p{L})/gu, ".");
}

const LABEL = "[\\p{L}\\p{N}\\p{M}_-]+";
/** A URL with a scheme, or possibly a host alone; each with its path, which may contain other names. */
const PIECES = new RegExp(
  `(?:https?|ftp):[/\\\\]*(?<authority>[^\\s/\\\\?#<>"“”]+)(?:[/\\\\?#][^\\s<>"“”]*)?` +
    `|(?<bare>(?:${LABEL}\\.)+${LABEL})(?::\\d+)?(?:[/?#][^\\s<>"“”]*)?` +
    `|(?<six>\\[[\\da-f]*:[\\da-f:.]+\\])`,
  "giu",
);

/** The hosts in a text. */
export function hostsIn(text: string, suffixes: Suffixes): NamedHost[] {
  const spaced = text.replace(BETWEEN, " ").replace(SIGNS, " ");
  return [text, ...(spaced === text ? [] : [spaced])].flatMap((reading) => hostsOf(plain(reading), suffixes));
}

function hostsOf(text: string, suffixes: Suffixes): NamedHost[] {
  const found: NamedHost[] = [];
  const note = (written: string, isCertain: boolean) => {
    const name = withoutNeighbors(written, suffixes);
    const host = hostOf(name, isCertain, suffixes);
    if (host) found.push({ text: name, host });
  };
  for (const { groups = {} } of text.matchAll(PIECES)) {
    if (groups["bare"]) note(groups["bare"], /^www\./i.test(groups["bare"]));
    else if (groups["six"]) note(groups["six"], true);
    else if (groups["authority"]) {
      const pieces = groups["authority"].match(/\[[\da-f:.]+\]|[\p{L}\p{N}\p{M}_.-]+/giu) ?? [];
      // `paypal.com@evil.example:80`: what stands before the host is meant to be taken for it.
      const certain = groups["authority"].slice(0, groups["authority"].lastIndexOf("@") + 1)
        .match(/[\p{L}\p{N}\p{M}_.-]+/gu)?.length ?? 0;
      pieces.forEach((piece, index) => note(piece.replace(/\.+$/, ""), index === certain));
    }
  }
  return found;
}

/** Letters of languages that put no spaces between words. */
const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Bopomofo}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";
const BEFORE = new RegExp(`^(?:[-_]+|[${UNSPACED}]+(?=[a-z\\d]))`, "iu");

/** A host without words that stand directly before or after it: `请访问bank.com登录`, `bank.com-Kunde`. */
function withoutNeighbors(written: string, suffixes: Suffixes): string {
  const name = written.replace(BEFORE, "");
  const at = name.lastIndexOf(".") + 1;
  const last = name.slice(at);
  if (at === 0 || isTop(last, suffixes)) return name;
  const word = last.split(/[-_]/, 1)[0] ?? "";
  const ending = [word, /^(?:[a-z]+|\d+)/i.exec(word)?.[0] ?? ""]
    .find((one) => isTop(one, suffixes) || isIPv4(name.slice(0, at) + one));
  return ending === undefined ? name : name.slice(0, at) + ending;
}

function isTop(label: string, suffixes: Suffixes): boolean {
  const ascii = readByBrowser(`a.${label}`)?.slice(2);
  return ascii !== undefined && suffixes.hasTop(ascii);
}

function hostOf(written: string, isCertain: boolean, suffixes: Suffixes): string | null {
  const ascii = readByBrowser(written) ?? written.toLowerCase();
  if (isCertain) return written === "" ? null : ascii;
  const labels = written.split(".");
  if (labels.length < 2) return null;
  if (isIPv4(ascii)) return labels.length === 4 ? ascii : null;
  if (FILE.test(written)) return null;
  const isOne = suffixes.hasTop(ascii.slice(ascii.lastIndexOf(".") + 1)) || endsLikeHost(written, suffixes);
  return isOne ? ascii : null;
}

/** Whether an ending could be read as one that exists, such as `com` with any `o`. */
function endsLikeHost(written: string, suffixes: Suffixes): boolean {
  const last = written.slice(written.lastIndexOf(".") + 1);
  // Some letters look like Latin ones only before they are made small, and others only after.
  const looks = inLatin(inLatin(last.normalize("NFD").replace(/\p{M}/gu, "")).toLowerCase());
  if (suffixes.hasTop(looks)) return true;
  const pattern = looks.replace(ALIEN, "?");
  // A word of another script after one of the same is the next sentence.
  const isMixed = /\p{sc=Latin}/u.test(written.slice(0, -last.length) + pattern);
  return isMixed && pattern.includes("?") && /^[a-z?]+$/.test(pattern) && suffixes.hasTopLike(pattern);
}

function inLatin(text: string): string {
  return text.replace(/./gu, (letter) => LATIN[OTHERS.indexOf(letter)] ?? letter);
}

/** The host as the browser would ask for it: in ASCII, and numbers as an address. */
export function readByBrowser(host: string): string | null {
  try {
    return new URL(`http://${host}`).hostname.replace(/\.$/, "");
  } catch {
    return null;
  }
}

export function isIPv4(host: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host);
}
