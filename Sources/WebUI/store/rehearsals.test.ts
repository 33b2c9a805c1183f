import type { Rule } from "../jmap/rules.ts";
import { equal } from "../testing/assert.ts";
import { recordOf, someMail } from "../testing/app.ts";
import { applyRules, applySaved, loadFound, reaches, undoApplied } from "./rehearsals.ts";

const RULE: Rule = {
  kind: "rule",
  name: "Bills",
  isOn: true,
  joining: "all",
  conditions: [],
  actions: [{ verb: "star", value: null }],
};
const numbered = (count: number) => Array.from({ length: count }, (_, number) => `M${number}`);
const inInbox = (count: number) => ({ ids: numbered(count), isEverywhere: false });

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
    failure: null,
  }));
  equal(await applyRules(app, "a", { rule: RULE }, inInbox(5001)), {
    changed: 5001,
    actionIds: ["A1", "A2"],
    problems: ["There is no folder “Bills” in this account."],
    failure: null,
  });
});

Deno.test("ORG-17: a rule that fails halfway says how much was done, and that part can be undone", async () => {
  const { app, program, performer, told, settled, end } = await someMail([]);
  const done = { changed: 12, actionIds: ["A1"], problems: [], failure: "The disk is full." };
  program.answer("RuleList/apply", () => done);
  await applySaved(app, performer.log, "a", { rule: RULE }, inInbox(6000));
  equal(program.count("RuleList/apply"), 1);
  equal(told(), [
    "12 messages changed by “Bills”",
    "“Bills” is on, but was not applied to all messages: The disk is full.",
  ]);
  const undone: unknown[] = [];
  program.answer("MailAction/set", ({ update }) => {
    undone.push(...Object.keys(update as object));
    return { updated: { A1: recordOf({ id: "A1", state: "undone" }) } };
  });
  app.toasts.list[0]?.action?.run();
  await settled();
  equal(undone, ["A1"]);
  end();
});

Deno.test("ORG-17: the same if the program refuses a later call, and none was done if it refuses the first", async () => {
  const { app, program, performer, told, end } = await someMail([]);
  program.answer("RuleList/apply", ({ emailIds }) => {
    if ((emailIds as string[]).length < 5000) {
      return { error: { type: "serverFail", description: "No." } };
    }
    return { changed: 9, actionIds: ["A1"], problems: [], failure: null };
  });
  await applySaved(app, performer.log, "a", { text: "keep;" }, inInbox(5001));
  equal(told(), [
    "9 messages changed by the rules",
    "The rules are saved, but were not applied to all messages: No.",
  ]);
  end();
  await applySaved(app, performer.log, "a", { rule: RULE }, inInbox(3));
  equal(told(), ["“Bills” is on, but was not applied: No."]);
  end();
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

Deno.test("ORG-17: rules are applied to the inbox, or to all where that is more", () => {
  const words = (inbox: number, kept: number) =>
    reaches({ examined: 90, matched: 90, emailIds: [], inboxIds: numbered(inbox), keptIds: numbered(kept) })
      .map(({ words }) => words);
  equal(words(0, 0), []);
  equal(words(3, 3), ["the 3 messages in the inbox"]);
  equal(words(1, 2), ["the 1 message in the inbox", "all 2 messages"]);
  equal(words(0, 1), ["the message"]);
});
