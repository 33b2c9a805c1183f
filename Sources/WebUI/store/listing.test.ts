import { equal } from "../testing/assert.ts";
import { Listing } from "./listing.ts";

const ids = Array.from({ length: 500 }, (_, index) => `m${index}`);

function listing(all = ids): Listing {
  const made = new Listing();
  made.set(all);
  return made;
}

Deno.test("a short conversation is listed whole", () => {
  const short = listing(ids.slice(0, 51));
  equal(short.listed.length, 51);
  equal(short.gaps.size, 0);
});

Deno.test("a long one is listed at its ends, and where reading goes on", () => {
  const long = listing();
  equal(long.listed.length, 51);
  long.showFrom("m200");
  equal(long.listed.length, 101);
  equal([...long.gaps].map(([before, gap]) => [before, gap.ids.length, gap.isOld]), [
    ["m0", 199, true],
    ["m249", 200, false],
  ]);
});

Deno.test("gaps are filled from where a reader comes from", () => {
  const long = listing();
  long.showFrom("m200");
  const [old, newer] = [...long.gaps.values()];
  if (old) long.fill(old);
  if (newer) long.fill(newer);
  equal([...long.gaps].map(([before, gap]) => [before, gap.ids.length]), [["m0", 99], ["m349", 100]]);
});

Deno.test("what is listed stays so when messages arrive", () => {
  const long = listing();
  long.set([...ids, "new"]);
  equal(long.listed.length, 52);
  equal(long.gaps.get("m0")?.ids.length, 449);
});
