import { equal } from "../testing/assert.ts";
import { asWords, readQuery, withoutChip } from "./search.ts";

const now = new Date(2026, 2, 18, 15, 0); // a Wednesday
const labels = (text: string) => readQuery(text, now).chips.map((chip) => chip.label);
const utc = (...parts: [number, number, number]) => new Date(...parts).toISOString().replace(".000", "");

Deno.test("filters are read out of the words", () => {
  const query = readQuery("budget from ana last week with attachments", now);
  equal(query.chips.map((chip) => chip.label), ["From: ana", "Last week", "With attachment"]);
  equal(query.text, "budget");
  equal(query.filter, {
    operator: "AND",
    conditions: [
      { from: "ana" },
      { hasAttachment: true },
      { after: utc(2026, 2, 9), before: utc(2026, 2, 16) },
      { text: "budget" },
    ],
  });
});

Deno.test("times are what a person means by them", () => {
  equal(labels("from last week"), ["Last week"]);
  equal(labels("in march 2024"), ["March 2024"]);
  equal(labels("in December"), ["December 2025"]);
  equal(labels("last 30 days"), ["Last 30 days"]);
  equal(labels("before:2024-02-01"), ["Before 2024-02-01"]);
});

Deno.test("what is part of another word is no filter", () => {
  equal(labels("unreadable todayish platform"), []);
  equal(labels('from:"Ana Lima" is:unread'), ["From: Ana Lima", "Unread"]);
});

Deno.test("words in quotation marks are never filters", () => {
  const query = readQuery('"letter from Ana" unread "with attachments today"', now);
  equal(query.chips.map((chip) => chip.label), ["Unread"]);
  equal(query.text, '"letter from Ana" "with attachments today"');
});

Deno.test("words that were read as filters can be meant as words", () => {
  equal(asWords("letter from Ana"), '"letter from Ana"');
  equal(asWords('letter  from "Ana Lima"'), '"letter from Ana Lima"');
  equal(readQuery(asWords("letter from Ana"), now).chips, []);
});

Deno.test("a chip that is removed takes its words along", () => {
  const text = "budget from ana unread";
  const [from] = readQuery(text, now).chips;
  equal(from ? withoutChip(text, from) : "", "budget unread");
});

Deno.test("nothing typed is nothing to look for", () => {
  equal(readQuery("  ", now).filter, null);
});
