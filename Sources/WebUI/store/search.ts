import type { Filter, FilterCondition } from "../jmap/types.ts";

/** A filter that was read out of the words. It can be taken out again. */
export interface Chip {
  label: string;
  /** The position in the text. */
  start: number;
  end: number;
}

export interface Query {
  chips: Chip[];
  /** What remains to be looked for in all of the mail. */
  text: string;
  filter: Filter | null;
}

interface Reading {
  label: string;
  filter: Filter;
}

type Rule = [pattern: RegExp, read: (match: RegExpExecArray, now: Date) => Reading | null];

const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const WORD = `("[^"]+"|[^\\s"]+)`;
const DATE = `(\\d{4}-\\d{1,2}-\\d{1,2}|\\d{4})`;
const month = MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join("|");

const RULES: Rule[] = [
  [
    new RegExp(`from[: ]\\s*(?!(?:today|yesterday|last|this)\\b)${WORD}`),
    ([, who]) => person("From", "from", who),
  ],
  [new RegExp(`to:\\s*${WORD}`), ([, who]) => person("To", "to", who)],
  [new RegExp(`subject:\\s*${WORD}`), ([, text]) => person("Subject", "subject", text)],
  [
    /(?:with (?:an? )?|has:)(?:attachments?|files?)/,
    () => simple("With attachment", { hasAttachment: true }),
  ],
  [/(?:is:)?unread/, () => simple("Unread", { notKeyword: "$seen" })],
  [/is:read/, () => simple("Read", { hasKeyword: "$seen" })],
  [/(?:is:)?starred/, () => simple("Starred", { hasKeyword: "$flagged" })],
  [/(?:from )?today/, (_, now) => days("Today", day(now, 0), null)],
  [/(?:from )?yesterday/, (_, now) => days("Yesterday", day(now, -1), day(now, 0))],
  [/(?:from )?(this|last) week/, ([, which], now) => {
    const monday = day(now, -((now.getDay() + 6) % 7));
    return which === "this" ? days("This week", monday, null) : days("Last week", day(monday, -7), monday);
  }],
  [/(?:from )?(this|last) month/, ([, which], now) => {
    const first = new Date(now.getFullYear(), now.getMonth(), 1);
    return which === "this"
      ? days("This month", first, null)
      : days("Last month", new Date(now.getFullYear(), now.getMonth() - 1, 1), first);
  }],
  [/(?:from )?(this|last) year/, ([, which], now) => {
    const year = now.getFullYear() - (which === "last" ? 1 : 0);
    return days(which === "last" ? "Last year" : "This year", new Date(year, 0, 1), new Date(year + 1, 0, 1));
  }],
  [/(?:from the |in the )?last (\d{1,4}) days?/, ([, number], now) => {
    return days(`Last ${number} days`, day(now, -Number(number)), null);
  }],
  [new RegExp(`in (${month})(?: (\\d{4}))?`), ([, name, year], now) => {
    const index = MONTHS.findIndex((month) => month.startsWith((name ?? "").slice(0, 3)));
    const inYear = year ? Number(year) : now.getFullYear() - (index > now.getMonth() ? 1 : 0);
    const full = MONTHS[index] ?? "";
    const label = `${full.charAt(0).toUpperCase()}${full.slice(1)} ${inYear}`;
    return days(label, new Date(inYear, index, 1), new Date(inYear, index + 1, 1));
  }],
  [
    /in (\d{4})/,
    ([, year]) => days(year ?? "", new Date(Number(year), 0, 1), new Date(Number(year) + 1, 0, 1)),
  ],
  [new RegExp(`before[: ]\\s*${DATE}`), ([, date]) => days(`Before ${date}`, null, parsed(date))],
  [new RegExp(`(?:after|since)[: ]\\s*${DATE}`), ([, date]) => days(`Since ${date}`, parsed(date), null)],
  [/larger(?: than |:)\s*(\d+)\s*([km])b?/, ([, number, unit]) => {
    const bytes = Number(number) * (unit === "k" ? 1000 : 1_000_000);
    return simple(`Larger than ${number} ${unit?.toUpperCase()}B`, { minSize: bytes });
  }],
];

/** Recognizes filters in a search; the rest is search text. */
export function readQuery(text: string, now = new Date()): Query {
  const conditions: Filter[] = [];
  const chips: Chip[] = [];
  const quoted = [...text.matchAll(/"[^"]*"/g)].map(({ index, 0: { length } }) =>
    [index, index + length] as const
  );
  const taken: [number, number][] = [];
  for (const [pattern, read] of RULES) {
    const whole = new RegExp(`(?<![\\p{L}\\d])(?:${pattern.source})(?![\\p{L}\\d])`, "giu");
    for (let match = whole.exec(text); match; match = whole.exec(text)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (quoted.some(([from, to]) => start > from && start < to)) continue;
      if (taken.some(([from, to]) => start < to && end > from)) continue;
      const reading = read(lowered(match), now);
      if (!reading) continue;
      taken.push([start, end]);
      chips.push({ label: reading.label, start, end });
      conditions.push(reading.filter);
    }
  }
  chips.sort((left, right) => left.start - right.start);
  let rest = text;
  for (const chip of [...chips].reverse()) rest = rest.slice(0, chip.start) + " " + rest.slice(chip.end);
  rest = rest.replace(/\s+/g, " ").trim();
  if (rest !== "") conditions.push({ text: rest });
  const [only] = conditions;
  const filter = conditions.length > 1 ? { operator: "AND" as const, conditions } : only ?? null;
  return { chips, text: rest, filter };
}

/** The text without one of its filters. */
export function withoutChip(text: string, chip: Chip): string {
  return (text.slice(0, chip.start) + text.slice(chip.end)).replace(/\s+/g, " ").trim();
}

/** The same words without filters: as a phrase. */
export function asWords(text: string): string {
  return `"${text.replaceAll('"', "").replace(/\s+/g, " ").trim()}"`;
}

/** Filters ignore case; the search text keeps its spelling. */
function lowered(match: RegExpExecArray): RegExpExecArray {
  return match.map((part) =>
    /^[a-z]+$/i.test(part ?? "") ? part.toLowerCase() : part
  ) as unknown as RegExpExecArray;
}

function simple(label: string, filter: FilterCondition): Reading {
  return { label, filter };
}

function person(label: string, property: "from" | "to" | "subject", value = ""): Reading {
  const bare = value.replaceAll('"', "");
  return { label: `${label}: ${bare}`, filter: { [property]: bare } };
}

function days(label: string, from: Date | null, to: Date | null): Reading | null {
  if ((from && Number.isNaN(from.getTime())) || (to && Number.isNaN(to.getTime()))) return null;
  const utc = (date: Date) => date.toISOString().replace(/\.\d+Z$/, "Z");
  return { label, filter: { ...(from ? { after: utc(from) } : {}), ...(to ? { before: utc(to) } : {}) } };
}

function day(now: Date, offset: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + offset);
}

function parsed(text = ""): Date {
  const [year, month = 1, date = 1] = text.split("-").map(Number);
  return new Date(year ?? NaN, month - 1, date);
}
