import { equal } from "../../testing/assert.ts";
import { boxOf, fitted, moved, resized } from "./boxes.ts";

const ROOM = { width: 1000, height: 1000, rem: 10 };
const BOX = { left: 400, top: 300, width: 500, height: 600 };

Deno.test("a floating message stays within its window", () => {
  equal(moved(BOX, { x: 16, y: -16 }, ROOM), { ...BOX, left: 416, top: 284 });
  equal(moved(BOX, { x: 900, y: 900 }, ROOM), { ...BOX, left: 500, top: 400 });
  equal(moved(BOX, { x: -900, y: -900 }, ROOM), { ...BOX, left: 0, top: 0 });
  equal(boxOf({ left: 400, top: 300, width: 500, height: 600 }, ROOM), BOX);
});

Deno.test("a corner moves while the opposite one stays, and room to write is left", () => {
  equal(resized(BOX, "se", { x: 50, y: -100 }, ROOM), { ...BOX, width: 550, height: 500 });
  equal(resized(BOX, "nw", { x: 50, y: -100 }, ROOM), { left: 450, top: 200, width: 450, height: 700 });
  equal(resized(BOX, "se", { x: 900, y: 900 }, ROOM), { ...BOX, width: 600, height: 700 });
  equal(resized(BOX, "nw", { x: 900, y: 900 }, ROOM), { left: 680, top: 700, width: 220, height: 200 });
  equal(fitted({ left: 900, top: 900, width: 10, height: 10 }, { ...ROOM, width: 100 }).width, 1000);
});
