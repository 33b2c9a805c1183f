/** Dates and times in a time zone, and the moments that they are. */

/** What a clock on the wall shows. `month` counts from 1; `weekday` from Monday, which is 1. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const DAY_MS = 86_400_000;

/** How long the zone of the computer is taken for the same: asking for it takes long. */
const ZONE_MS = 1000;
let [known, knownAt] = ["", -Infinity];

/** The zone that the computer is in, which may change while the page is open. */
export function currentZone(now: number = performance.now()): string {
  if (!known || now - knownAt >= ZONE_MS) {
    [known, knownAt] = [Intl.DateTimeFormat().resolvedOptions().timeZone, now];
  }
  return known;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string): Intl.DateTimeFormat {
  let made = formatters.get(zone);
  if (!made) {
    made = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formatters.set(zone, made);
  }
  return made;
}

/** What a clock in the zone shows, as if that were UTC. */
function shownMs(ms: number, zone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of formatter(zone).formatToParts(ms)) part[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

export function wallTime(at: Date, zone: string): WallTime {
  const shown = new Date(shownMs(at.getTime(), zone));
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
  };
}

/**
 * The moment at which a clock in the zone shows this. Of a time that exists twice, when clocks are set back, the first;
 * for one that does not exist, when they are set forward, as much later as they are set: 2:30 is 3:30 then.
 */
export function moment({ year, month, day, hour, minute }: WallTime, zone: string): Date {
  const wanted = Date.UTC(year, month - 1, day, hour, minute);
  const offset = (ms: number) => shownMs(ms, zone) - ms;
  const before = offset(wanted - DAY_MS);
  const fits = [before, offset(wanted + DAY_MS)].map((shift) => wanted - shift)
    .filter((ms) => shownMs(ms, zone) === wanted);
  return new Date(fits.length > 0 ? Math.min(...fits) : wanted - before);
}

/** Monday is 1, Sunday 7. */
export function weekdayOf({ year, month, day }: WallTime): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7;
}

/** The same time some days later, by the calendar. */
export function daysLater(wall: WallTime, days: number): WallTime {
  const date = new Date(Date.UTC(wall.year, wall.month - 1, wall.day + days));
  return {
    ...wall,
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
  };
}

/** The same day and time some months later, or the last day of that month. */
export function monthsLater(wall: WallTime, months: number): WallTime {
  const count = wall.year * 12 + wall.month - 1 + months;
  const [year, month] = [Math.floor(count / 12), count % 12 + 1];
  return { ...wall, year, month, day: Math.min(wall.day, daysIn(year, month)) };
}

export function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
