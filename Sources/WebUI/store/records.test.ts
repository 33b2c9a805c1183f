import { JMAPClient } from "../jmap/client.ts";
import { equal, rejects } from "../testing/assert.ts";
import { FakeProgram } from "../testing/program.ts";
import { Records } from "./records.ts";

interface Thing {
  id: string;
  name: string;
}

async function things(program: FakeProgram): Promise<Records<Thing>> {
  program.answer("Thing/get", () => ({ list: [{ id: "a", name: "one" }], state: "1" }));
  const client = await JMAPClient.connect(program.sender);
  const records = new Records<Thing>(client, "Thing", "program");
  await records.load();
  return records;
}

Deno.test("a change shows before the program has confirmed it", async () => {
  const program = new FakeProgram();
  const records = await things(program);
  program.answer("Thing/set", () => ({ updated: { a: null } }));
  const done = records.update("a", { name: "two" });
  equal(records.get("a")?.name, "two");
  equal(records.isDirty("a"), true);
  await done;
  equal(records.get("a")?.name, "two");
  equal(records.isDirty("a"), false);
});

Deno.test("a refused change is put back, and says why", async () => {
  const program = new FakeProgram();
  const records = await things(program);
  program.answer(
    "Thing/set",
    () => ({ notUpdated: { a: { type: "invalidProperties", description: "No." } } }),
  );
  await rejects(records.update("a", { name: "two" }), "No.");
  equal(records.get("a")?.name, "one");
});

Deno.test("a refused destruction brings the object back", async () => {
  const program = new FakeProgram();
  const records = await things(program);
  program.answer(
    "Thing/set",
    () => ({ notDestroyed: { a: { type: "forbidden", description: "It stays." } } }),
  );
  const done = records.destroy("a");
  equal(records.list.length, 0);
  await rejects(done, "It stays.");
  equal(records.list.length, 1);
});

Deno.test("a state that is known already loads nothing", async () => {
  const program = new FakeProgram();
  const records = await things(program);
  await records.heard("1");
  equal(program.count("Thing/get"), 1);
  await records.heard("2");
  equal(program.count("Thing/get"), 2);
});

Deno.test("an answer from before an object was created does not take it away", async () => {
  const program = new FakeProgram();
  const records = await things(program);
  const answers = [
    { list: [{ id: "a", name: "one" }], state: "2" },
    { list: [{ id: "a", name: "one" }, { id: "b", name: "two" }], state: "3" },
  ];
  program.answer("Thing/get", () => answers.shift() ?? { list: [], state: "9" });
  program.answer("Thing/set", () => ({ created: { new: { id: "b" } } }));
  const held = program.hold("Thing/get");
  const loading = records.load();
  // Calls of the same moment would share a request.
  await new Promise((done) => setTimeout(done));
  await records.create({ name: "two" });
  const seen: boolean[] = [];
  records.subscribe(() => seen.push(records.get("b") !== undefined));
  held.release();
  await loading;
  equal(seen.includes(false), false);
  equal(records.get("b")?.name, "two");
  // The program was asked again, and its later answer counts.
  equal(program.count("Thing/get"), 3);
});
