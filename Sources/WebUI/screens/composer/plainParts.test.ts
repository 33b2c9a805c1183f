import { equal } from "../../testing/assert.ts";
import { ownText, withSignature } from "./plainParts.ts";

const QUOTE = "On 3 May, Ana wrote:\n> Lunch?";

Deno.test("a signature of plain text takes the place of the other, above the original", () => {
  equal(withSignature("Hello", "Ada", ""), "Hello\n\n-- \nAda");
  equal(withSignature("Hello\n\n-- \nAda\nLondon", "Ada L.", "Ada\n\nLondon"), "Hello\n\n-- \nAda L.");
  equal(withSignature(`Hello\n\n-- \nAda\n\n${QUOTE}`, "Ada L.", "Ada"), `Hello\n\n-- \nAda L.\n\n${QUOTE}`);
  equal(withSignature(`Hello\n\n-- \nAda\n\n${QUOTE}`, "", "Ada"), `Hello\n\n${QUOTE}`);
  equal(withSignature(`Hello\n\n${QUOTE}`, "Ada", ""), `Hello\n\n-- \nAda\n\n${QUOTE}`);
});

Deno.test("a signature that was edited or deleted stays as it is", () => {
  for (const body of ["Hello\n\n-- \nAda, on leave", "Hello", `Hello\n\n${QUOTE}`]) {
    equal(withSignature(body, "Ada L.", "Ada"), body);
  }
});

Deno.test("what the user wrote has no signature and no original", () => {
  equal(ownText(`Yes.\n\nAt noon.\n\n-- \nAda\n\n${QUOTE}`), "Yes.\n\nAt noon.");
  equal(ownText("See\n\n---------- Forwarded message ----------\nFrom: Ana"), "See");
  equal(ownText("On time, as I wrote: fine"), "On time, as I wrote: fine");
});
