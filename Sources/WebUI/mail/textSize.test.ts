import { equal } from "../testing/assert.ts";
import { grown, growthOf } from "./textSize.ts";

Deno.test("NFR-SET-02: a size that the sender fixed follows the text size, and headlines by as much as text", () => {
  equal([growthOf(16), growthOf(32), growthOf(12)], [0, 1, -0.25]);
  equal(grown("font-size", "14px"), "calc(14px + 14px * var(--text-growth))");
  equal(grown("font-size", "9pt"), "calc(12px + 12px * var(--text-growth))");
  equal(grown("font-size", "large"), "calc(18px + 16px * var(--text-growth))");
  equal(grown("font-size", "40px"), "calc(40px + 16px * var(--text-growth))");
  equal(grown("line-height", "30px"), "calc(30px + 24px * var(--text-growth))");
  equal(
    grown("font-size", "clamp(14px, 4vw, 20px)"),
    "calc(clamp(14px, 4vw, 20px) + min(clamp(14px, 4vw, 20px), 16px) * var(--text-growth))",
  );
});

Deno.test("a size stays as it is where it follows already, and where nothing is to be read", () => {
  for (
    const value of [
      "",
      "1em",
      "1.2rem",
      "120%",
      "larger",
      "inherit",
      "calc(1em + 2vw)",
      "0px",
      "1px",
      "5.5px",
    ]
  ) {
    equal(grown("font-size", value), null);
  }
  for (const value of ["normal", "1.5", "150%", "small"]) equal(grown("line-height", value), null);
  equal(grown("font-size", "62.5%", true), "calc(10px + 10px * var(--text-growth))");
});
