import { equal } from "../../testing/assert.ts";
import { shapeOf } from "./rowShape.ts";

Deno.test("a row has the shape that was chosen, where there is room for it", () => {
  equal(shapeOf("compact", 27, false), "compact");
  equal(shapeOf("compact", 20, false), "cozy");
  equal(shapeOf("compact", 27, true), "cozy");
  equal(shapeOf("roomy", 27, true), "roomy");
  equal(shapeOf("roomy", 12, false), "tight");
  equal(shapeOf("compact", 0, false), "compact");
});
