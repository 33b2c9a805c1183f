import { equal } from "../testing/assert.ts";
import { read } from "./sizes.ts";

Deno.test("remembered sizes are read as far as they are sizes", () => {
  equal(read(null), {});
  equal(read("no JSON"), {});
  equal(read("[1, null]"), {});
  equal(read('{"list 1x1": {"width": 3, "height": 4}, "b": {"width": -1, "height": 4}, "c": null, "d": 5}'), {
    "list 1x1": { width: 3, height: 4 },
  });
});
