import { equal } from "../../testing/assert.ts";
import { nameOf, rehearsalWords, ruleWords } from "./ruleWords.ts";

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
    ruleWords({
      kind: "rule",
      name: "Trips",
      isOn: true,
      joining: "all",
      conditions: [{ field: "search", value: "V1", isNegated: false }, {
        field: "search",
        value: "V2",
        isNegated: true,
      }],
      actions: [{ verb: "archive", value: null }],
    }, new Map([["V1", "Travel"]])),
    "When it matches the saved search “Travel” and it does not match the saved search “V2”, then archive.",
  );
  equal(
    rehearsalWords({ matched: 214, examined: 50_000, emailIds: [], inboxIds: [], keptIds: [] }),
    "It would have acted on 214 of the last 50,000 messages.",
  );
});

Deno.test("a rule without a name is called by its first condition", () => {
  const rule = { kind: "rule", name: "", isOn: true, joining: "all", actions: [] } as const;
  const condition = { field: "subject", value: "zebra", isNegated: false } as const;
  equal(nameOf({ ...rule, actions: [], conditions: [condition] }), "Subject contains “zebra”");
  equal(nameOf({ ...rule, actions: [], conditions: [] }), "Every message");
});
