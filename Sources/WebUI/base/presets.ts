/** The moments that are offered for something that is to happen later. */
import { EVENING, MORNING, type NoTime, readWhen } from "./when.ts";
import { daysLater, moment, wallTime, weekdayOf } from "./zones.ts";

export interface Preset {
  label: string;
  at: Date;
}

const HOUR_MS = 3_600_000;
/** After this hour nothing is later today. */
const LATEST = 21;

/** In the order of time, each once: on a Sunday, tomorrow and next week are the same. */
export function presets(now: Date, zone: string): Preset[] {
  const today = wallTime(now, zone);
  const weekday = weekdayOf(today);
  const later = wallTime(new Date(now.getTime() + 3 * HOUR_MS), zone);
  const fullHour = { ...later, hour: later.minute > 0 ? later.hour + 1 : later.hour, minute: 0 };
  const onDay = (days: number, hour: number) => moment({ ...daysLater(today, days), hour, minute: 0 }, zone);
  const all: [string, Date][] = [
    ["Tomorrow", onDay(1, MORNING)],
    [
      weekday >= 6 ? "Next weekend" : "This weekend",
      onDay(weekday >= 6 ? 13 - weekday : 6 - weekday, MORNING),
    ],
    ["Next week", onDay(8 - weekday, MORNING)],
  ];
  if (today.hour < EVENING - 1) all.unshift(["This evening", onDay(0, EVENING)]);
  if (later.day === today.day && fullHour.hour <= LATEST) {
    all.unshift(["Later today", moment(fullHour, zone)]);
  }
  const seen = new Set<number>();
  return all.filter(([, at]) => !seen.has(at.getTime()) && seen.add(at.getTime()))
    .map(([label, at]) => ({ label, at }));
}

/** What was typed: the name of a moment that is offered, such as “later today”, or a time. */
export function readMoment(text: string, now: Date, zone: string): Date | NoTime {
  const name = text.trim().toLowerCase();
  const offered = presets(now, zone).find(({ label }) => label.toLowerCase() === name);
  return offered?.at ?? readWhen(text, now, zone);
}
