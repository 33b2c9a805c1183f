import { Value } from "../../base/observable.ts";
import { JMAPClient } from "../../jmap/client.ts";
import type { App } from "../../store/app.ts";
import { Emails } from "../../store/emails.ts";
import { equal } from "../../testing/assert.ts";
import { FakeProgram } from "../../testing/program.ts";
import { Composer } from "./composer.ts";

const EMPTY = {
  identityId: "i",
  to: [],
  cc: [],
  bcc: [],
  subject: "",
  body: "",
  attachments: [],
  problems: [],
};
const SILENT = { type: "serverFail", description: "The store cannot be reached." };

/** What a composer uses of the app. */
async function someApp(program: FakeProgram) {
  return {
    client: await JMAPClient.connect(program.sender),
    emails: new Emails(),
    preferences: { get: () => undefined },
    isReachable: new Value(true),
    isStoreResponding: new Value(true),
    refusal: new Value<number | null>(null),
    onChange: () => () => {},
  };
}

const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

Deno.test("a draft stays while the store is silent, and is saved once it responds", async () => {
  const program = new FakeProgram();
  program.answer("Draft/prefill", () => ({ draft: EMPTY }));
  program.answer("Draft/set", () => ({ error: SILENT }));
  const app = await someApp(program);
  const composer = new Composer(app as unknown as App, "a", { mode: "new" });
  await composer.start();
  composer.set({ subject: "Lunch" });
  composer.write("At noon?");
  equal(await composer.save(), false);
  app.isStoreResponding.value = false;
  await settled();
  equal([composer.saving, composer.subject, composer.content.body], ["failed", "Lunch", "At noon?"]);
  equal(program.count("Draft/set"), 1);

  program.answer("Draft/set", () => ({ created: { new: { id: "d" } } }));
  app.isStoreResponding.value = true;
  await settled();
  equal([composer.saving, composer.draftId, composer.isDirty], ["saved", "d", false]);
  equal((program.calls.at(-1)?.[1] as { create: { new: { body: string } } }).create.new.body, "At noon?");
  composer.drop();
});

Deno.test("what was written meanwhile is saved once the store responds, without waiting for its turn", async () => {
  const program = new FakeProgram();
  program.answer("Draft/prefill", () => ({ draft: EMPTY }));
  program.answer("Draft/set", () => ({ created: { new: { id: "d" } }, updated: { d: {} } }));
  const app = await someApp(program);
  const composer = new Composer(app as unknown as App, "a", { mode: "new" });
  await composer.start();
  composer.set({ subject: "Lunch" });
  await composer.save();
  app.isStoreResponding.value = false;
  composer.write("At noon?");
  equal(program.count("Draft/set"), 1);

  app.isStoreResponding.value = true;
  await settled();
  equal([composer.saving, composer.isDirty, program.count("Draft/set")], ["saved", false, 2]);
  composer.drop();
});

Deno.test("ORG-85: the time of a reminder is saved with the draft, and there when it is opened", async () => {
  const program = new FakeProgram();
  const draft = {
    ...EMPTY,
    id: "d",
    subject: "Lunch",
    savedAt: "1",
    conflict: null,
    remindAt: "2030-01-02T09:00:00Z",
  };
  program.answer("Draft/get", () => ({ list: [draft] }));
  program.answer("Draft/prefill", () => ({ draft: EMPTY }));
  program.answer("Identity/get", () => ({ list: [{ id: "i", name: "Ana", email: "ana@example.com" }] }));
  program.answer("Draft/set", () => ({ updated: { d: {} } }));
  const composer = new Composer(await someApp(program) as unknown as App, "a", { mode: "new", draftId: "d" });
  await composer.start();
  equal(composer.remindAt?.toISOString(), "2030-01-02T09:00:00.000Z");
  equal(composer.isDirty, false);
  for (const at of [new Date("2030-01-03T09:00:00.123Z"), null]) {
    composer.set({ remindAt: at });
    await composer.save();
    const [, saved] = program.calls.at(-1) ?? [];
    const { remindAt } = (saved as { update: { d: { remindAt: string | null } } }).update.d;
    equal(remindAt, at && "2030-01-03T09:00:00Z");
  }
  composer.drop();
});

Deno.test("a draft whose sender was removed gets that of new messages, says so, and is saved with it", async () => {
  const program = new FakeProgram();
  const draft = { ...EMPTY, id: "d", identityId: "gone", subject: "Lunch", savedAt: "1", conflict: null };
  program.answer("Draft/get", () => ({ list: [draft] }));
  program.answer("Draft/prefill", () => ({ draft: EMPTY }));
  program.answer("Identity/get", () => ({ list: [{ id: "i", name: "Ana", email: "ana@example.com" }] }));
  program.answer("Draft/set", () => ({ updated: { d: {} } }));
  const app = await someApp(program);
  const composer = new Composer(app as unknown as App, "a", { mode: "new", draftId: "d" });
  await composer.start();
  equal([composer.identityId, composer.isDirty], ["i", true]);
  equal([...composer.notes.values()], [
    "The address that this draft was from has been removed. It will be sent from ana@example.com.",
  ]);
  await composer.save();
  const [, saved] = program.calls.at(-1) ?? [];
  equal((saved as { update: { d: { identityId: string } } }).update.d.identityId, "i");
  await composer.sendAs("a", "i");
  equal(composer.notes.size, 0);
  composer.drop();
});
