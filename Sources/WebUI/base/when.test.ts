import { equal } from "../testing/assert.ts";
import { presets, readMoment } from "./presets.ts";
import { readWhen } from "./when.ts";
import { moment, wallTime } from "./zones.ts";

const BERLIN = "Europe/Berlin";

/** As a clock in the zone shows it, with the distance from UTC where that matters. */
function read(text: string, now = "2026-11-25T10:20:30+01:00", zone = BERLIN): string {
  const found = readWhen(text, new Date(now), zone);
  if (typeof found === "string") return found;
  const { year, month, day, hour, minute } = wallTime(found, zone);
  const two = (value: number) => `${value}`.padStart(2, "0");
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`;
}

/** ORG-55. All are read on Wednesday, 25 November 2026, at 10:20 in Berlin. */
const READINGS: Record<string, string> = {
  "in 3 hours": "2026-11-25 13:20",
  "3h": "2026-11-25 13:20",
  "in 1.5 hours": "2026-11-25 11:50",
  "in an hour": "2026-11-25 11:20",
  "in half an hour": "2026-11-25 10:50",
  "in 2 hours and 10 minutes": "2026-11-25 12:30",
  "45 min": "2026-11-25 11:05",
  "two days": "2026-11-27 10:20",
  "in a week": "2026-12-02 10:20",
  "3 weeks from now": "2026-12-16 10:20",
  "in 3 months": "2027-02-25 10:20",
  "in 1 year": "2027-11-25 10:20",
  "friday 9": "2026-11-27 09:00",
  "Friday, 9": "2026-11-27 09:00",
  "9 friday": "2026-11-27 09:00",
  "fri 9:30": "2026-11-27 09:30",
  "friday at 3": "2026-11-27 15:00",
  "friday 3am": "2026-11-27 03:00",
  "friday": "2026-11-27 08:00",
  "this friday": "2026-11-27 08:00",
  "next friday": "2026-12-04 08:00",
  "on thurs.": "2026-11-26 08:00",
  "wednesday": "2026-12-02 08:00",
  "wednesday 17:00": "2026-11-25 17:00",
  "friday morning": "2026-11-27 08:00",
  "friday evening at 7": "2026-11-27 19:00",
  "7 in the evening": "2026-11-25 19:00",
  "tomorrow 3 in the morning": "2026-11-26 03:00",
  "tomorrow 14:30": "2026-11-26 14:30",
  "14.30 tomorrow": "2026-11-26 14:30",
  "tomorrow at 2:30 pm": "2026-11-26 14:30",
  "tomorrow": "2026-11-26 08:00",
  "tmr noon": "2026-11-26 12:00",
  "day after tomorrow": "2026-11-27 08:00",
  "this evening": "2026-11-25 18:00",
  "tonight": "2026-11-25 20:00",
  "tonight 9": "2026-11-25 21:00",
  "midnight": "2026-11-26 00:00",
  "midnight tomorrow": "2026-11-27 00:00",
  "morning": "2026-11-26 08:00",
  "9": "2026-11-26 09:00",
  "11": "2026-11-25 11:00",
  "12am": "2026-11-26 00:00",
  "12 pm": "2026-11-25 12:00",
  "today 16:00": "2026-11-25 16:00",
  "weekend": "2026-11-28 08:00",
  "this weekend 10:00": "2026-11-28 10:00",
  "next weekend": "2026-12-05 08:00",
  "next week": "2026-11-30 08:00",
  "next month": "2026-12-01 08:00",
  "12 march": "2027-03-12 08:00",
  "march 12": "2027-03-12 08:00",
  "12th of March 9am": "2027-03-12 09:00",
  "Mar 12, 2028 14:00": "2028-03-12 14:00",
  "march 12 at 9": "2027-03-12 09:00",
  "1 dec": "2026-12-01 08:00",
  "25 november 8:00": "2027-11-25 08:00",
  "29 february": "2028-02-29 08:00",
  "the 30th": "2026-11-30 08:00",
  "the 31st": "2026-12-31 08:00",
  "the 12th at 10": "2026-12-12 10:00",
  "24.12.": "2026-12-24 08:00",
  "24.12.2027 18:00": "2027-12-24 18:00",
  "2027-03-12": "2027-03-12 08:00",
  "2027-03-12 09:15": "2027-03-12 09:15",
  "2027-03-12T09:15": "2027-03-12 09:15",
  "24/12": "2026-12-24 08:00",
  "12/24 9pm": "2026-12-24 21:00",
  "today": "past",
  "today 9": "past",
  "24 november 2026": "past",
  "2020-01-01": "past",
  "in 0 minutes": "past",
  "in 20 years": "far",
  "in 999999999999 hours": "far",
  "12 march 2099": "far",
  "": "unclear",
  "soon": "unclear",
  "in": "unclear",
  "in 3": "unclear",
  "3/4": "unclear",
  "31 april": "unclear",
  "2027-02-29": "unclear",
  "25:00": "unclear",
  "9:75": "unclear",
  "13pm": "unclear",
  "9 10": "unclear",
  "friday monday": "unclear",
  "friday 9 please": "unclear",
  "the 32nd": "unclear",
};

Deno.test("ORG-55: days and times are read as people type them", () => {
  for (const [text, expected] of Object.entries(READINGS)) equal([text, read(text)], [text, expected]);
});

Deno.test("ORG-55: the clock goes forward and back", () => {
  const spring = "2027-03-27T12:00:00+01:00";
  // 2:30 does not exist on 28 March 2027 in Berlin.
  equal(read("tomorrow 2:30", spring), "2027-03-28 03:30");
  equal(read("tomorrow 1:59", spring), "2027-03-28 01:59");
  // A day later is at the same time by the clock, 24 hours later is not.
  equal(read("in 1 day", spring), "2027-03-28 12:00");
  equal(read("in 24 hours", spring), "2027-03-28 13:00");
  // 2:30 exists twice on 31 October 2027: the first is meant, or the second once that has passed.
  const autumn = readWhen("tomorrow 2:30", new Date("2027-10-30T12:00:00+02:00"), BERLIN);
  equal(autumn, new Date("2027-10-31T02:30:00+02:00"));
  equal(read("in 24 hours", "2027-10-30T12:00:00+02:00"), "2027-10-31 11:00");
  equal(read("tomorrow 1:30", "2026-03-07T12:00:00-05:00", "America/New_York"), "2026-03-08 01:30");
  equal(read("tomorrow 2:15", "2026-03-07T12:00:00-05:00", "America/New_York"), "2026-03-08 03:15");
});

Deno.test("ORG-55: the day is that of the user's zone", () => {
  const now = "2026-11-25T22:30:00Z";
  equal(read("tomorrow", now, "Asia/Tokyo"), "2026-11-27 08:00");
  equal(read("tomorrow", now, "America/Los_Angeles"), "2026-11-26 08:00");
  equal(read("today 18:00", now, "America/Los_Angeles"), "2026-11-25 18:00");
  equal(read("friday 9", now, "Asia/Kathmandu"), "2026-11-27 09:00");
  // Half an hour of summer time, and a date that was left out.
  equal(read("tomorrow 2:10", "2026-10-03T12:00:00+10:30", "Australia/Lord_Howe"), "2026-10-04 02:40");
  equal(read("tomorrow", "2011-12-29T12:00:00-10:00", "Pacific/Apia"), "2011-12-31 08:00");
});

Deno.test("ORG-55: any moment is found by what its clock shows", () => {
  for (
    const zone of [
      BERLIN,
      "America/New_York",
      "Asia/Kolkata",
      "Australia/Lord_Howe",
      "Africa/Casablanca",
      "UTC",
    ]
  ) {
    for (let ms = Date.UTC(2026, 0, 1); ms < Date.UTC(2028, 0, 1); ms += 39_600_000) {
      const found = moment(wallTime(new Date(ms), zone), zone).getTime();
      // Of an hour that exists twice, the first.
      const isFirst = found === ms || found === ms - 3_600_000 || found === ms - 1_800_000;
      equal([zone, ms, isFirst, wallTime(new Date(found), zone)], [
        zone,
        ms,
        true,
        wallTime(new Date(ms), zone),
      ]);
    }
  }
});

Deno.test("ORG-55: nothing that is typed is read as a time in the past or fails", () => {
  const words =
    "in 3 hours friday 9 14:30 march the 12th next week 2027-03-12 am pm . / : at noon midnight weekend"
      .split(" ");
  let seed = 7;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 5000; round += 1) {
    const text = Array.from({ length: 1 + next(4) }, () => words[next(words.length)]).join(
      next(5) ? " " : "",
    );
    const now = new Date(Date.UTC(2026, next(12), 1 + next(28), next(24), next(60)));
    const found = readWhen(text, now, BERLIN);
    if (typeof found !== "string") equal([text, found > now], [text, true]);
  }
});

Deno.test("ORG-55: what is offered depends on the day and the hour", () => {
  const offered = (now: string) =>
    presets(new Date(now), BERLIN).map(({ label, at }) => {
      const { day, hour } = wallTime(at, BERLIN);
      return `${label} ${day} ${hour}`;
    });
  equal(offered("2026-11-25T10:20:00+01:00"), [
    "Later today 25 14",
    "This evening 25 18",
    "Tomorrow 26 8",
    "This weekend 28 8",
    "Next week 30 8",
  ]);
  equal(offered("2026-11-25T18:30:00+01:00").slice(0, 1), ["Tomorrow 26 8"]);
  equal(offered("2026-11-27T23:30:00+01:00"), ["Tomorrow 28 8", "Next week 30 8"]);
  equal(offered("2026-11-29T09:00:00+01:00"), [
    "Later today 29 12",
    "This evening 29 18",
    "Tomorrow 30 8",
    "Next weekend 5 8",
  ]);
});

Deno.test("ORG-55: a moment that is offered can be typed as well", () => {
  const now = new Date("2026-11-25T10:20:30+01:00");
  equal(
    presets(now, BERLIN).map(({ label }) => readMoment(` ${label.toUpperCase()}`, now, BERLIN)),
    presets(now, BERLIN).map(({ at }) => at),
  );
  equal(readMoment("later", now, BERLIN), "unclear");
});
