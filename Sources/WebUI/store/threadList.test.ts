import { equal } from "../testing/assert.ts";
import type { Row } from "./rows.ts";
import { merged, shiftOf } from "./threadList.ts";

const row = (id: string, at: number, accountId = "a"): Row => ({
  accountId,
  emailId: id,
  threadId: id,
  receivedAt: `2026-01-${String(at).padStart(2, "0")}T00:00:00Z`,
});

Deno.test("two lists are merged as far as their order is certain", () => {
  const feeds = [
    { rows: [row("1", 9), row("2", 5)], total: 2 },
    { rows: [row("3", 7, "b")], total: 4 },
  ];
  equal(merged(feeds).map((row) => row.emailId), ["1", "3"]);
  equal(merged([feeds[0]!, { rows: [row("3", 7, "b")], total: 1 }]).map((row) => row.emailId), [
    "1",
    "3",
    "2",
  ]);
});

Deno.test("what is visible is found again after new mail came above it", () => {
  const before = [row("1", 9), row("2", 8), row("3", 7), row("4", 6)];
  const after = [row("n", 10), ...before];
  equal(shiftOf(before, after, 2, 4), 1);
  equal(shiftOf(before, [row("3", 10), row("1", 9), row("2", 8), row("4", 6)], 2, 4), 0);
  equal(shiftOf(before, after, 0, 2), 0);
});
