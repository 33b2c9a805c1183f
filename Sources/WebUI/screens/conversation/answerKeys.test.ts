import { equal } from "../../testing/assert.ts";
import { chosenBar } from "./answerKeys.ts";

Deno.test("keys answer the invitation with the focus, else the newest one that is open", () => {
  const bars = ["older", "middle", "newest"];
  equal(chosenBar(bars, (bar) => bar === "middle"), "middle");
  equal(chosenBar(bars, () => false), "newest");
  equal(chosenBar([], () => true) ?? null, null);
});
