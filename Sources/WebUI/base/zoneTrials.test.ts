/**
 * ORG-54, ORG-58: the program keeps moments, so zones matter only here, where a user chooses one. Times are chosen in
 * random zones, also near the nights in which clocks are changed, and compared with what a clock on the wall shows.
 */
import { equal, isTrue } from "../testing/assert.ts";
import { presets } from "./presets.ts";
import { readWhen } from "./when.ts";
import { currentZone } from "./zones.ts";

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
const TRIALS = 200;

/** Clocks are changed by half an hour, by two, at midnight, in winter, or never; offsets are odd. */
const ZONES = `Europe/Berlin Europe/London America/New_York America/St_Johns America/Santiago America/Asuncion
  America/Havana Africa/Cairo Africa/Casablanca Asia/Beirut Asia/Kathmandu Asia/Kolkata Asia/Tokyo Atlantic/Azores
  Antarctica/Troll Australia/Adelaide Australia/Lord_Howe Pacific/Apia Pacific/Auckland Pacific/Chatham
  Pacific/Kiritimati Pacific/Pago_Pago UTC`.split(/\s+/);

let seed = 11;
const below = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most;
const one = <T>(all: readonly T[]): T => all[below(all.length)] as T;

const walls = new Map<string, Intl.DateTimeFormat>();

/** “2026-11-25 13:20”, found in another way than the page does. */
function shown(ms: number, zone: string): string {
  let made = walls.get(zone);
  if (!made) {
    made = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
    walls.set(zone, made);
  }
  return made.format(ms);
}

/** How far clocks in the zone are ahead of UTC. */
const ahead = (ms: number, zone: string) => asUTC(shown(ms, zone)) - Math.floor(ms / MINUTE_MS) * MINUTE_MS;
const asUTC = (wall: string) => Date.parse(`${wall.replace(" ", "T")}:00Z`);

/** The first moment at which clocks show this; if they skip it, when they would show it had they not been changed. */
function expected(wall: string, zone: string): number {
  const near = asUTC(wall);
  let before = near - 30 * HOUR_MS;
  for (let ms = near - 15 * HOUR_MS; ms <= near + 15 * HOUR_MS; ms += 5 * MINUTE_MS) {
    const now = shown(ms, zone);
    if (now === wall) return ms;
    if (now < wall) before = ms;
  }
  return near - ahead(before, zone);
}

/** The moments at which clocks in the zone are changed, from 2026 to 2028. */
function changes(zone: string): number[] {
  const found: number[] = [];
  for (let ms = Date.UTC(2026, 0, 1); ms < Date.UTC(2029, 0, 1); ms += 5 * DAY_MS) {
    let [low, high] = [ms, ms + 5 * DAY_MS];
    if (ahead(low, zone) === ahead(high, zone)) continue;
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      if (ahead(middle, zone) === ahead(low, zone)) low = middle;
      else high = middle;
    }
    found.push(high);
  }
  return found;
}

const nights = new Map(ZONES.map((zone) => [zone, changes(zone)]));

/** Mostly within two days of a change of the clocks. */
function someTime(zone: string): Date {
  const all = nights.get(zone) ?? [];
  if (all.length === 0 || below(4) === 0) {
    return new Date(Date.UTC(2026, below(36), 1 + below(28), below(24), below(60)));
  }
  return new Date(one(all) + (below(4 * 24 * 60) - 2 * 24 * 60) * MINUTE_MS);
}

/** A day later by the calendar. */
const dayAfter = (wall: string, days = 1) =>
  new Date(asUTC(`${wall.slice(0, 10)} 00:00`) + days * DAY_MS).toISOString().slice(0, 10);
const two = (value: number) => `${value}`.padStart(2, "0");

Deno.test("ORG-54, ORG-55, ORG-58: what is typed is right in every zone, also after travelling to another one", () => {
  isTrue([...nights.values()].flat().length > 60, "there are hardly any changes of clocks");
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const home = one(ZONES);
    const now = someTime(home);
    const [time, hours, days] = [`${two(below(24))}:${two(5 * below(12))}`, 1 + below(60), 1 + below(4)];
    // The same moment, by the clock at home and then by that of where the user is.
    for (const zone of [home, one(ZONES)]) {
      const story = `${now.toISOString()} ${zone}`;
      const today = shown(now.getTime(), zone);
      const read = (text: string) => readWhen(text, now, zone);
      const tomorrow = `${dayAfter(today)} ${time}`;
      equal([story, read(`tomorrow ${time}`)], [story, new Date(expected(tomorrow, zone))]);
      equal([story, read(`in ${hours} hours`)], [story, new Date(now.getTime() + hours * HOUR_MS)]);
      const later = `${dayAfter(today, days)}${today.slice(10)}`;
      const found = read(`in ${days} days`);
      isTrue(found instanceof Date, story);
      if (found instanceof Date) {
        equal([story, later, found], [story, later, new Date(expected(later, zone))]);
      }
    }
  }
});

Deno.test("ORG-54, ORG-55, ORG-58: what is offered is right in every zone, also when clocks are changed", () => {
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const zone = one(ZONES);
    const now = someTime(zone);
    const today = shown(now.getTime(), zone);
    const weekday = new Date(asUTC(today)).getUTCDay() || 7;
    const days: Record<string, [number, string]> = {
      "This evening": [0, "18:00"],
      "Tomorrow": [1, "08:00"],
      "This weekend": [6 - weekday, "08:00"],
      "Next weekend": [13 - weekday, "08:00"],
      "Next week": [8 - weekday, "08:00"],
    };
    for (const { label, at } of presets(now, zone)) {
      const story = `${label} ${now.toISOString()} ${zone}`;
      isTrue(at > now, `${story} is over`);
      const day = days[label];
      if (day) {
        const wall = `${dayAfter(today, day[0])} ${day[1]}`;
        equal([story, at], [story, new Date(expected(wall, zone))]);
      } else {
        const wait = at.getTime() - now.getTime();
        const isSoon = wait >= 3 * HOUR_MS - MINUTE_MS && wait <= 4 * HOUR_MS;
        equal([story, isSoon, shown(at.getTime(), zone).slice(0, 10)], [story, true, today.slice(0, 10)]);
      }
    }
  }
});

Deno.test("ORG-55: the zone of the computer is looked up again", () => {
  const Real = Intl.DateTimeFormat;
  let zone = "Asia/Tokyo";
  const made = () => ({ resolvedOptions: () => ({ timeZone: zone }) });
  try {
    Object.assign(Intl, { DateTimeFormat: made });
    const start = performance.now() + 1e6;
    equal(currentZone(start), "Asia/Tokyo");
    zone = "America/New_York";
    equal([currentZone(start + 10), currentZone(start + 1000)], ["Asia/Tokyo", "America/New_York"]);
  } finally {
    Object.assign(Intl, { DateTimeFormat: Real });
  }
});
