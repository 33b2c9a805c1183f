/** When something is to happen, as a user types it: “in 3 hours”, “friday 9”, “tomorrow 14:30”, “12 march”. */
import { daysIn, daysLater, moment, monthsLater, type WallTime, wallTime, weekdayOf } from "./zones.ts";

/** Why what was typed is no time in the future. */
export type NoTime = "unclear" | "past" | "far";

/** The time of a day for which none is given, and of what people call parts of a day. */
export const MORNING = 8;
export const EVENING = 18;
const MOST_YEARS = 10;

const PARTS: Record<string, number> = {
  morning: MORNING,
  noon: 12,
  midday: 12,
  afternoon: 13,
  evening: EVENING,
  tonight: 20,
  night: 20,
};
const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS = [
  ..."january february march april may june july august september october november december".split(" "),
];
const COUNTS: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
};

type Day = Pick<WallTime, "year" | "month" | "day">;
interface Time {
  hour: number;
  minute: number;
}

/** The moment that was typed, as the user's clock in the zone shows it. */
export function readWhen(text: string, now: Date, zone: string): Date | NoTime {
  const words = text.toLowerCase().replace(/[,;]/g, " ").replace(/\s+/g, " ").trim();
  if (!words) return "unclear";
  const found = span(words, now, zone) ?? new Reading(words, wallTime(now, zone)).moment(now, zone);
  if (typeof found === "string") return found;
  if (Number.isNaN(found.getTime())) return "far";
  if (found <= now) return "past";
  return wallTime(found, zone).year - wallTime(now, zone).year > MOST_YEARS ? "far" : found;
}

/** A time from now on: hours as they pass, days by the calendar. Null if it is none. */
function span(words: string, now: Date, zone: string): Date | null {
  const rest = words.replace(/^in /, "").replace(/ from now$/, "").replace(/^half an? hour$/, "30 minutes");
  const pieces = rest.replace(/ and /g, " ").match(/(?:[\d.]+|[a-z]+) ?[a-z]+/g);
  if (!pieces || pieces.join(" ") !== rest.replace(/ and /g, " ")) return null;
  let [minutes, days, months] = [0, 0, 0];
  for (const piece of pieces) {
    const [, count = "", unit = ""] = /^([\d.]+|[a-z]+?) ?([a-z]+)$/.exec(piece) ?? [];
    const amount = /^\d/.test(count) ? Number(count) : COUNTS[count] ?? NaN;
    if (Number.isNaN(amount)) return null;
    if (/^m(in(ute)?s?)?$/.test(unit)) minutes += amount;
    else if (/^h((ou)?rs?)?$/.test(unit)) minutes += amount * 60;
    else if (!Number.isInteger(amount)) return null;
    else if (/^d(ays?)?$/.test(unit)) days += amount;
    else if (/^w((ee)?ks?)?$/.test(unit)) days += amount * 7;
    else if (/^months?$/.test(unit)) months += amount;
    else if (/^y((ea)?rs?)?$/.test(unit)) months += amount * 12;
    else return null;
  }
  if (minutes > MOST_YEARS * 600_000 || days > MOST_YEARS * 400 || months > MOST_YEARS * 13) {
    return new Date(NaN);
  }
  const wall = daysLater(monthsLater(wallTime(now, zone), months), days);
  const start = days + months > 0 ? moment(wall, zone) : now;
  return new Date(start.getTime() + minutes * 60_000);
}

/** What was typed, read as a day and a time of day in any order. */
class Reading {
  #day: Day | null = null;
  #time: Time | null = null;
  /** The part of the day, such as 18 for the evening. */
  #part = 0;
  /** The hour as it was typed, if nothing tells which half of the day it is in. */
  #bareHour: number | null = null;
  #isMidnight = false;
  /** The day is any of its kind: the next one whose time has not passed. */
  #next: ((day: Day) => Day) | null = null;

  constructor(private readonly words: string, private readonly now: WallTime) {}

  moment(now: Date, zone: string): Date | NoTime {
    let rest = this.words;
    while (rest) {
      const before = rest;
      rest = this.#take(rest).replace(/^ +/, "");
      if (rest === before) return "unclear";
    }
    const time = this.#timeOfDay();
    if (!this.#day && !time) return "unclear";
    const next = this.#day ? this.#next : (day: Day) => daysLater({ ...this.now, ...day }, 1);
    const at = (day: Day) => {
      const wall = { ...this.now, ...day, ...time ?? { hour: MORNING, minute: 0 } };
      return moment(this.#isMidnight ? daysLater(wall, 1) : wall, zone);
    };
    const day = this.#day ?? this.now;
    const first = at(day);
    return first > now || !next ? first : at(next(day));
  }

  #timeOfDay(): Time | null {
    if (!this.#time) return this.#part ? { hour: this.#part, minute: 0 } : null;
    let { hour } = this.#time;
    if (this.#bareHour !== null) {
      // “Friday 3” is in the afternoon, “7 in the evening” is 19:00.
      if (this.#part > 12) hour += 12;
      else if (!this.#part && hour >= 1 && hour <= 5) hour += 12;
    }
    return { ...this.#time, hour };
  }

  /** Takes a day or a time from the beginning. Returns the rest, which is the same if there is none. */
  #take(text: string): string {
    const joint = /^(?:at|on|the|this|by|until) (?=.)/.exec(text);
    if (joint) return text.slice(joint[0].length);
    for (const read of [this.#relativeDay, this.#partOfDay, this.#date, this.#weekday, this.#clock]) {
      const length = read.call(this, text);
      if (length > 0) return text.slice(length);
    }
    return text;
  }

  #setDay(day: Day | null, next: ((day: Day) => Day) | null = null): boolean {
    if (this.#day || !day) return false;
    [this.#day, this.#next] = [day, next];
    return true;
  }

  #setTime(hour: number, minute = 0): boolean {
    if (this.#time || hour > 23 || minute > 59) return false;
    this.#time = { hour, minute };
    return true;
  }

  #later(days: number): Day {
    return daysLater(this.now, days);
  }

  #relativeDay(text: string): number {
    const match =
      /^(day after tomorrow|today|tomorrow|tmrw?|tom|(?:next )?weekend|next week|next month)(?![a-z])/.exec(
        text,
      );
    if (!match) return 0;
    const word = match[1] ?? "";
    const today = weekdayOf(this.now);
    const toMonday = 8 - today;
    const toSaturday = today >= 6 ? 13 - today : 6 - today;
    const day = word === "today"
      ? this.now
      : word === "day after tomorrow"
      ? this.#later(2)
      : word === "weekend"
      ? this.#later(toSaturday)
      : word === "next weekend"
      ? this.#later(toMonday + 5)
      : word === "next week"
      ? this.#later(toMonday)
      : word === "next month"
      ? { ...monthsLater(this.now, 1), day: 1 }
      : this.#later(1);
    return this.#setDay(day) ? match[0].length : 0;
  }

  #partOfDay(text: string): number {
    const match = /^(?:in the )?(morning|noon|midday|afternoon|evening|tonight|night|midnight)(?![a-z])/.exec(
      text,
    );
    if (!match || this.#part || this.#isMidnight) return 0;
    const word = match[1] ?? "";
    if (word === "midnight") {
      // The end of the day that it is said with.
      this.#isMidnight = true;
      return this.#setTime(0) ? match[0].length : 0;
    }
    if (word === "tonight" && !this.#setDay(this.now)) return 0;
    this.#part = PARTS[word] ?? 0;
    return match[0].length;
  }

  #weekday(text: string): number {
    const match = /^(next )?([a-z]{2,})\.?(?![a-z])/.exec(text);
    const name = match?.[2] ?? "";
    const index = WEEKDAYS.findIndex((day) =>
      day === name || day.slice(0, 3) === name || name.length > 3 && day.startsWith(name)
    );
    if (!match || index < 0) return 0;
    const ahead = match[1] ? 8 - weekdayOf(this.now) + index : (index + 1 - weekdayOf(this.now) + 7) % 7;
    const isSet = this.#setDay(this.#later(ahead), (day) => daysLater({ ...this.now, ...day }, 7));
    return isSet ? match[0].length : 0;
  }

  #date(text: string): number {
    const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:t(?=\d)|(?!\d))/.exec(text);
    if (iso) return this.#setDate(iso, iso[3], iso[2], iso[1]);
    const dots = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?(?!\d)/.exec(text);
    if (dots) return this.#setDate(dots, dots[1], dots[2], dots[3]);
    const slashes = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?(?!\d)/.exec(text);
    if (slashes) {
      const [one, two] = [Number(slashes[1]), Number(slashes[2])];
      // 3/4 is a day in March for some and in April for others.
      if (one <= 12 && two <= 12 && one !== two) return 0;
      return one > 12
        ? this.#setDate(slashes, slashes[1], slashes[2], slashes[3])
        : this.#setDate(slashes, slashes[2], slashes[1], slashes[3]);
    }
    const name = "([a-z]{3,9})\\.?(?![a-z])";
    const year = "(?: (\\d{4})(?![\\d:.]))?";
    const dayFirst = new RegExp(`^(\\d{1,2})(?:st|nd|rd|th|\\.)? (?:of )?${name}${year}`).exec(text);
    if (dayFirst && monthOf(dayFirst[2])) {
      return this.#setDate(dayFirst, dayFirst[1], `${monthOf(dayFirst[2])}`, dayFirst[3]);
    }
    const monthFirst = new RegExp(`^${name} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:.]|am|pm)${year}`)
      .exec(text);
    if (monthFirst && monthOf(monthFirst[1])) {
      return this.#setDate(monthFirst, monthFirst[2], `${monthOf(monthFirst[1])}`, monthFirst[3]);
    }
    const ordinal = /^(\d{1,2})(?:st|nd|rd|th)(?![a-z])/.exec(text);
    return ordinal ? this.#setOrdinal(ordinal) : 0;
  }

  /** “The 12th”: of this month, or of the next that has one. */
  #setOrdinal(match: RegExpExecArray): number {
    const day = Number(match[1]);
    if (day < 1 || day > 31) return 0;
    const inMonth = (from: Day, start: number): Day => {
      for (let ahead = start;; ahead += 1) {
        const { year, month } = monthsLater({ ...this.now, ...from, day: 1 }, ahead);
        if (day <= daysIn(year, month)) return { year, month, day };
      }
    };
    return this.#setDay(inMonth(this.now, 0), (from) => inMonth(from, 1)) ? match[0].length : 0;
  }

  #setDate(match: RegExpExecArray, dayText = "", monthText = "", yearText?: string): number {
    const [day, month] = [Number(dayText), Number(monthText)];
    if (month < 1 || month > 12 || day < 1) return 0;
    if (yearText) {
      const year = Number(yearText);
      return day <= daysIn(year, month) && this.#setDay({ year, month, day }) ? match[0].length : 0;
    }
    // 29 February is in the next year that has one.
    const inYear = (from: number): Day | null => {
      const year = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((ahead) => from + ahead).find((one) =>
        day <= daysIn(one, month)
      );
      return year === undefined ? null : { year, month, day };
    };
    const first = inYear(this.now.year);
    return this.#setDay(first, ({ year }) => inYear(year + 1) ?? { year, month, day }) ? match[0].length : 0;
  }

  #clock(text: string): number {
    const match = /^(\d{1,2})(?:[:.h](\d{2}))? ?(am|pm|a\.m\.|p\.m\.|o'clock)?(?![\da-z:.])/.exec(text);
    if (!match || this.#time) return 0;
    const [all, hourText, minuteText, suffix = ""] = match;
    let hour = Number(hourText);
    if (suffix[0] === "a" || suffix[0] === "p") {
      if (hour < 1 || hour > 12) return 0;
      hour = hour % 12 + (suffix[0] === "p" ? 12 : 0);
    } else if (hour < 12 && (!minuteText || this.words.match(/[a-z]ing|noon|night/))) {
      this.#bareHour = hour;
    }
    return this.#setTime(hour, Number(minuteText ?? 0)) ? all.length : 0;
  }
}

/** From 1; 0 if it is none. */
function monthOf(name = ""): number {
  return MONTHS.findIndex((month) =>
    month === name || month.slice(0, 3) === name || name === "sept" && month[0] === "s"
  ) +
    1;
}
