import { equal } from "../../testing/assert.ts";
import { rehearsalWords, ruleWords } from "./ruleWords.ts";

Deno.test("a rule reads as a sentence", () => {
  equal(
    ruleWords({
      kind: "rule",
      name: "Bills",
      isOn: true,
      joining: "any",
      conditions: [
        { field: "subject", value: "invoice", isNegated: false },
        { field: "larger", value: 2048, isNegated: true },
      ],
      actions: [{ verb: "move", value: "Money/Bills" }, { verb: "star", value: null }],
    }),
    "When subject contains “invoice” or not larger than 2 KB, then move to “Money/Bills” and star.",
  );
  equal(
    rehearsalWords({ matched: 214, examined: 50_000, emailIds: [], inboxIds: [] }),
    "It would have acted on 214 of the last 50,000 messages.",
  );
});
