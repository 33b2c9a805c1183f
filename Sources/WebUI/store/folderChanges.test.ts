import { words } from "../jmap/errors.ts";
import { someMail } from "../testing/app.ts";
import { equal } from "../testing/assert.ts";
import { mailboxNamed } from "../testing/mail.ts";
import { createFolder, objection, placeFolder, sortFolder } from "./folderChanges.ts";
import { deleteFolder } from "./folderRemoval.ts";
import type { MailAccount } from "./parts.ts";

const WORK = { ...mailboxNamed("Work"), sortOrder: 14 };
const PLANS = { ...mailboxNamed("Plans"), parentId: "Work" };

async function folders() {
  const mail = await someMail([], [
    mailboxNamed("junk", "junk"),
    mailboxNamed("archive", "archive"),
    WORK,
    PLANS,
  ]);
  const [account] = mail.app.accounts as [MailAccount];
  const sent = () =>
    mail.program.calls.filter(([name]) => name === "Mailbox/set").map(([, values]) => values);
  return { ...mail, account, sent };
}

async function failing(work: Promise<unknown>): Promise<string> {
  return await work.then(() => "", words);
}

Deno.test("ORG-01: a name that is missing or in use is refused before it is sent", async () => {
  const { account, sent } = await folders();
  equal(await failing(createFolder(account, { name: "  ", parentId: null })), "Enter a name for the label.");
  equal(
    await failing(createFolder(account, { name: " Plans ", parentId: "Work" })),
    "There is already a label named “Plans” in “Work”.",
  );
  equal(objection(account, { name: "Spam", parentId: null }), "There is already a label named “Spam”.");
  equal(objection(account, { name: "Work", parentId: null }, "Work"), null);
  await placeFolder(account, WORK, { name: "Work", parentId: null });
  equal(sent(), []);
});

Deno.test("ORG-01: a new folder comes after those that the user has sorted", async () => {
  const { account, program, sent } = await folders();
  program.answer("Mailbox/set", () => ({ created: { new: { id: "x", role: null } } }));
  const made = await createFolder(account, { name: " Cafe\u0301 ", parentId: null });
  equal([made.id, made.name, made.sortOrder], ["x", "Café", 14]);
  equal(sent(), [{ accountId: "a", create: { new: { name: "Café", parentId: null, sortOrder: 14 } } }]);
});

Deno.test("ORG-01: what the program refuses is said in a sentence about the folder", async () => {
  const { account, program } = await folders();
  const refusing = (problem: object) =>
    program.answer("Mailbox/set", () => ({ notUpdated: { Plans: problem } }));
  const rename = () => failing(placeFolder(account, PLANS, { name: "Ideas", parentId: "Work" }));
  refusing({ type: "invalidProperties", properties: ["name"] });
  equal(
    await rename(),
    "“Ideas” cannot be the name of a label here: it is in use, too long, or has signs that cannot be seen.",
  );
  refusing({ type: "invalidProperties", properties: ["parentId"] });
  equal(await rename(), "A label cannot be moved there.");
  refusing({ type: "forbidden", description: "This mailbox cannot be renamed or moved." });
  equal(await rename(), "This mailbox cannot be renamed or moved.");
  equal(account.mailboxes.get("Plans")?.name, "Plans");
});

Deno.test("ORG-04: folders are sorted at once, and as they were if the program refuses", async () => {
  const { app, account, program, told, end } = await folders();
  const other = await createdBeside(account, program);
  program.answer("Mailbox/set", () => ({ notUpdated: { Work: { type: "forbidden", description: "No." } } }));
  const done = sortFolder(app, account, WORK, 1);
  equal([account.mailboxes.get("Work")?.sortOrder, account.mailboxes.get(other)?.sortOrder], [15, 14]);
  await done;
  equal(account.mailboxes.get("Work")?.sortOrder, 14);
  equal(told(), ["No."]);
  end();
});

async function createdBeside(
  account: MailAccount,
  program: { answer: (name: string, answering: () => Record<string, unknown>) => void },
) {
  program.answer("Mailbox/set", () => ({ created: { new: { ...mailboxNamed("Zoo"), sortOrder: 15 } } }));
  return (await createFolder(account, { name: "Zoo", parentId: null })).id;
}

Deno.test("ORG-02: a label is taken off its messages and deleted, and both can be undone", async () => {
  const { app, account, program, asked, sent, settled, told, end } = await folders();
  // They are in no list once the label is taken off.
  let left = ["m", "n"];
  program.answer("Email/query", ({ limit }) => {
    if (limit) return { total: 2, ids: [] };
    const ids = left;
    left = [];
    return { ids };
  });
  program.answer("Mailbox/set", ({ create }) => create ? { created: { new: mailboxNamed("new") } } : {});
  const gone = deleteFolder(app, account, PLANS);
  await settled();
  equal(app.dialogs.current?.title, "Delete the label “Plans”?");
  equal(sent(), []);
  app.dialogs.current?.answer(true);
  equal(await gone, true);
  equal(asked(), [{ verb: "unlabel", mailboxId: "Plans", emailIds: ["m", "n"] }]);
  equal(sent(), [{ accountId: "a", destroy: ["Plans"] }]);
  equal(told(), ["“Plans” deleted"]);
  app.toasts.list[0]?.action?.run();
  await settled();
  await settled();
  await settled();
  equal(asked()[1], { verb: "label", mailboxId: "new", emailIds: ["m", "n"] });
  equal(told().at(-1), "Undone: “Plans” is back");
  end();
});

Deno.test("ORG-86: undoing the deletion of folders brings back how they looked", async () => {
  const { app, account, program, sent, settled, end } = await folders();
  const chosen = {
    id: "singleton",
    folderColors: { "a/Work": "red", "a/other": "blue" },
    favoriteFolders: { "a/Plans": true },
    folderCounts: { "a/Plans": false },
    collapsedFolders: { "a/Work": true },
  };
  program.answer("Preferences/get", () => ({ list: [chosen], state: "1" }));
  program.answer("Preferences/set", () => ({ updated: { singleton: null } }));
  await app.preferences.load();
  program.answer("Email/query", ({ limit }) => limit ? { total: 0, ids: [] } : { ids: [] });
  program.answer(
    "Mailbox/set",
    ({ create }) => create ? { created: { new: { id: `new-${sent().length}`, role: null } } } : {},
  );
  await account.mailboxes.update("Work", { isSubscribed: false });
  const gone = deleteFolder(app, account, account.mailboxes.get("Work") ?? WORK);
  await settled();
  app.dialogs.current?.answer(true);
  equal(await gone, true);
  app.toasts.list.find(({ action }) => action)?.action?.run();
  for (let turn = 0; turn < 6; turn += 1) await settled();
  const made = sent().flatMap(({ create }) => create ? [(create as { new: unknown }).new] : []);
  equal(made, [
    { name: "Work", parentId: null, sortOrder: 14, isSubscribed: false },
    { name: "Plans", parentId: "new-3", sortOrder: 0, isSubscribed: true },
  ]);
  const patches = program.calls.filter(([name]) => name === "Preferences/set").map(([, { update }]) =>
    update
  );
  equal(patches, [{
    singleton: {
      "folderColors/a~1new-3": "red",
      "collapsedFolders/a~1new-3": true,
      "favoriteFolders/a~1new-4": true,
      "folderCounts/a~1new-4": false,
    },
  }]);
  end();
});
