import type { Rule } from "../jmap/rules.ts";
import { equal } from "../testing/assert.ts";
import { recordOf, someMail } from "../testing/app.ts";
import { applyRule, loadFound, undoApplied } from "./rehearsals.ts";

const RULE: Rule = {
  kind: "rule",
  name: "Bills",
  isOn: true,
  joining: "all",
  conditions: [],
  actions: [{ verb: "star", value: null }],
};
const numbered = (count: number) => Array.from({ length: count }, (_, number) => `M${number}`);

Deno.test("ORG-79: the messages of a rehearsal are listed in portions, in their order, up to the last", async () => {
  const { app, program } = await someMail([]);
  program.answer("Email/get", ({ ids }) => ({
    list: (ids as string[]).filter((id) => id !== "M1").map((id) => ({ id })).reverse(),
  }));
  const ids = numbered(120);
  const lists = [];
  for (const position of [0, 50, 100, 150]) lists.push(await loadFound(app, "a", ids, position));
  equal(lists.map(({ length }) => length), [49, 50, 20, 0]);
  equal(lists.flat().map(({ id }) => id), ids.filter((id) => id !== "M1"));
  equal(program.count("Email/get"), 3);
});

Deno.test("ORG-79: a rule is applied to more messages than one call takes", async () => {
  const { app, program } = await someMail([]);
  program.answer("RuleList/apply", ({ emailIds }) => ({
    changed: (emailIds as string[]).length,
    actionIds: [`A${program.count("RuleList/apply")}`],
    problems: ["There is no folder “Bills” in this account."],
  }));
  equal(await applyRule(app, "a", RULE, numbered(5001)), {
    changed: 5001,
    actionIds: ["A1", "A2"],
    problems: ["There is no folder “Bills” in this account."],
  });
});

Deno.test("ORG-17: what of a rule could not be undone is said", async () => {
  const { app, program, performer, told, end } = await someMail([]);
  program.answer("MailAction/set", ({ update }) => {
    const [id = ""] = Object.keys(update as object);
    if (id === "A2") return { notUpdated: { A2: { type: "forbidden", description: "It is too old." } } };
    return { updated: { [id]: recordOf({ id, state: "undone", kept: 2 }) } };
  });
  equal(await undoApplied(app, performer.log, "a", ["A1", "A2"]), false);
  equal(told(), ["Undone, except for 2 messages changed or deleted since", "Not undone: It is too old."]);
  end();
  equal(await undoApplied(app, performer.log, "a", ["A2"]), false);
  equal(told(), ["Not undone: It is too old."]);
  end();
  equal(await undoApplied(app, performer.log, "a", ["A3"]), true);
  end();
});
