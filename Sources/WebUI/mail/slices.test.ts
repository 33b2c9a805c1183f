import { equal } from "../testing/assert.ts";
import { inSlices } from "./slices.ts";

/** A clock that says that each item took so many milliseconds. */
function clock(milliseconds: number): () => number {
  let time = 0;
  return () => time += milliseconds;
}

Deno.test("little work is done at once", () => {
  const slices: number[][] = [];
  inSlices([1, 2, 3], (some) => slices.push([...some]), clock(1));
  equal(slices, [[1, 2, 3]]);
  inSlices([], (some) => slices.push([...some]), clock(1));
  equal(slices, [[1, 2, 3], []]);
});

Deno.test("much work is done in slices, each item once and in order", async () => {
  const slices: number[][] = [];
  await new Promise<void>((done) => {
    inSlices([1, 2, 3, 4, 5], (some) => {
      slices.push([...some]);
      if (slices.flat().length === 5) done();
    }, clock(20));
    equal(slices, [[1, 2]]);
  });
  equal(slices, [[1, 2], [3, 4], [5]]);
});

Deno.test("an item that takes longer than a slice does not end the work", async () => {
  const slices: number[][] = [];
  await new Promise<void>((done) => {
    inSlices([1, 2], (some) => {
      slices.push([...some]);
      if (slices.length === 2) done();
    }, clock(1000));
  });
  equal(slices, [[1], [2]]);
});

Deno.test("stopped work leaves the rest alone", async () => {
  const seen: number[] = [];
  inSlices([1, 2, 3], (some) => seen.push(...some), clock(1000))();
  await new Promise((later) => setTimeout(later, 0));
  await new Promise((later) => setTimeout(later, 0));
  equal(seen, [1]);
});
