import { equal } from "../testing/assert.ts";
import { recordOf, someMail } from "../testing/app.ts";
import { emailIn, mailboxNamed } from "../testing/mail.ts";
import type { ThreadList } from "./threadList.ts";

Deno.test("an action is one call, and so is undoing it", async () => {
  for (const verb of ["archive", "trash", "spam", "notSpam", "read", "mute"] as const) {
    const mail = await someMail([emailIn("m", ["inbox"])]);
    equal(mail.performer.perform({ verb }, [{ ...mail.target, mailboxId: "inbox" }]), true);
    await mail.settled();
    equal(mail.asked(), [{ verb, threadIds: ["t"], inMailboxId: "inbox" }]);
    const [toast] = mail.app.toasts.list;
    mail.app.toasts.act(toast?.id ?? 0);
    await mail.settled();
    equal(mail.asked()[1], ["A1"]);
    equal(mail.told(), ["Undone"]);
    mail.end();
  }
});

Deno.test("a message alone, a mailbox, and all of a list are what the program is asked for", async () => {
  const mail = await someMail([emailIn("m", ["inbox"])]);
  const travel = mailboxNamed("travel");
  const scope = {
    accountId: "all",
    mailboxId: "inbox",
    title: "Inbox",
    role: "inbox" as const,
    sources: [{ accountId: "a", filter: { inRole: "inbox" as const } }],
    category: null,
  };
  mail.performer.perform({ verb: "unread", isPart: true }, [mail.target]);
  mail.performer.perform({ verb: "label", to: travel }, [mail.target]);
  mail.performer.perform({ verb: "move", to: "inbox" }, [mail.target]);
  mail.performer.perform({ verb: "archive" }, [mail.target], scope);
  await mail.settled();
  equal(mail.asked(), [
    { verb: "unread", emailIds: ["m"] },
    { verb: "label", mailboxId: "travel", threadIds: ["t"] },
    { verb: "move", mailboxId: "inbox", threadIds: ["t"] },
    { verb: "archive", filter: { inRole: "inbox" }, inMailboxId: "inbox" },
  ]);
  mail.end();
});

Deno.test("all of a folder is marked as read on the screen at once, and nothing else is", async () => {
  const mail = await someMail([emailIn("m", ["inbox"])]);
  const row = { accountId: "a", threadId: "t", emailId: "m", receivedAt: "" };
  mail.performer.lists.add(
    { known: () => [row], remove: () => {}, refresh: () => {} } as unknown as ThreadList,
  );
  const folder = (mailboxId: string) => ({
    accountId: "a",
    mailboxId,
    title: mailboxId,
    role: null,
    sources: [{ accountId: "a", filter: { inMailbox: mailboxId } }],
    category: null,
  });
  mail.performer.perform({ verb: "read" }, [], folder("archive"));
  equal(mail.app.emails.get("a", "m")?.keywords["$seen"], undefined);
  mail.performer.perform({ verb: "read" }, [], folder("inbox"));
  equal(mail.app.emails.get("a", "m")?.keywords["$seen"], true);
  await mail.settled();
  mail.end();
});

Deno.test("the numbers of unread conversations change at once, and are the program's again later", async () => {
  const inbox = { ...mailboxNamed("inbox", "inbox"), unreadThreads: 3 };
  const travel = { ...mailboxNamed("travel"), unreadThreads: 1 };
  const mail = await someMail([emailIn("m", ["inbox"]), emailIn("n", ["travel"], "$seen")], [inbox, travel]);
  const numbers = () => mail.app.accounts[0]?.mailboxes.list.map(({ unreadThreads }) => unreadThreads);
  mail.performer.perform({ verb: "read" }, [mail.target]);
  equal(numbers(), [2, 0]);
  mail.performer.perform({ verb: "unread" }, [{ ...mail.target, emails: mail.app.emails.members("a", "t") }]);
  equal(numbers(), [3, 1]);
  await mail.settled();
  await mail.settled();
  equal(numbers(), [3, 1]);
  mail.performer.see("a", ["n", "m"]);
  equal(numbers(), [2, 0]);
  await mail.settled();
  mail.end();
});

Deno.test("mail in Trash is deleted permanently, once that is confirmed", async () => {
  const mail = await someMail([emailIn("m", ["trash"])]);
  const asked = mail.performer.perform({ verb: "destroy" }, [{ ...mail.target, mailboxId: "trash" }]);
  equal(mail.app.dialogs.current?.title, "Permanently delete this message?");
  equal(mail.asked(), []);
  mail.app.dialogs.current?.answer(true);
  equal(await asked, true);
  await mail.settled();
  equal(mail.asked(), [{ verb: "destroy", threadIds: ["t"], inMailboxId: "trash" }]);
  equal(mail.told(), ["1 message permanently deleted"]);
  mail.end();
});

Deno.test("before everything in a list is deleted permanently, its number is said", async () => {
  const mail = await someMail([emailIn("m", ["trash"])]);
  const sources = [{ accountId: "a", filter: { text: "old" } }];
  const all = { accountId: "a", mailboxId: "trash", title: "Trash", role: null, sources, category: null };
  const title = () => {
    void mail.performer.perform({ verb: "destroy" }, [mail.target], all);
    const question = mail.app.dialogs.current?.title;
    mail.app.dialogs.current?.answer(false);
    return question;
  };
  equal(title(), "Permanently delete everything in this list?");
  mail.performer.lists.add({ sources, total: 1214 } as unknown as ThreadList);
  equal(title(), "Permanently delete all 1,214 conversations in this list?");
});

Deno.test("ORG-03: Trash is emptied after a question that says how many messages are in it", async () => {
  const trash = { ...mailboxNamed("trash", "trash"), totalEmails: 1214 };
  const mail = await someMail([], [trash]);
  const asked = mail.performer.perform({ verb: "destroy" }, [], {
    accountId: "a",
    mailboxId: "trash",
    title: "Trash",
    role: "trash",
    sources: [{ accountId: "a", filter: { inMailbox: "trash" } }],
    category: null,
  });
  equal(mail.app.dialogs.current?.title, "Empty Trash?");
  equal(mail.app.dialogs.current?.text, "1,214 messages will be deleted permanently. This cannot be undone.");
  mail.app.dialogs.current?.answer(true);
  equal(await asked, true);
  await mail.settled();
  equal(mail.asked(), [{ verb: "destroy", filter: { inMailbox: "trash" }, inMailboxId: "trash" }]);
  mail.end();
});

Deno.test("ORG-05: labels are added and removed as one action, which is undone as one", async () => {
  const [travel, work] = [mailboxNamed("Travel"), mailboxNamed("Work")];
  const mail = await someMail([emailIn("m", ["Work"])], [mailboxNamed("archive", "archive"), travel, work]);
  equal(mail.performer.relabel([], [], [mail.target]), false);
  mail.performer.relabel([travel], [work], [mail.target]);
  equal(mail.told(), ["Labels of conversation changed"]);
  await mail.settled();
  equal(mail.asked(), [
    { verb: "label", mailboxId: "Travel", threadIds: ["t"] },
    { verb: "unlabel", mailboxId: "Work", threadIds: ["t"] },
  ]);
  mail.app.toasts.list[0]?.action?.run();
  await mail.settled();
  await mail.settled();
  equal(mail.asked().length, 4);
  mail.end();
});

Deno.test("what the program refuses is put back, and said once", async () => {
  for (
    const answer of [
      { notCreated: { action: { type: "forbidden", description: "The server said no." } } },
      { created: { action: recordOf({ changed: 0, refused: 1, refusal: "The server said no." }) } },
    ]
  ) {
    const mail = await someMail([emailIn("m", ["inbox"])]);
    mail.program.answer("MailAction/set", () => answer);
    mail.performer.perform({ verb: "read" }, [mail.target]);
    equal(mail.app.emails.get("a", "m")?.keywords, { $seen: true });
    equal(mail.told(), ["Conversation marked as read"]);
    await mail.settled();
    equal(mail.app.emails.get("a", "m")?.keywords, {});
    equal(mail.told(), ["The change was undone: The server said no."]);
    mail.end();
  }
});

Deno.test("an action that is refused for some messages says so, and the rest can be undone", async () => {
  const mail = await someMail([emailIn("m", ["inbox"])]);
  const record = recordOf({ changed: 3, refused: 2, refusal: "“Shared” is closed." });
  mail.program.answer("MailAction/set", () => ({ created: { action: record } }));
  mail.performer.perform({ verb: "archive" }, [mail.target]);
  await mail.settled();
  equal(mail.told(), ["Conversation archived", "Some changes were undone: “Shared” is closed."]);
  equal(mail.app.toasts.list[0]?.action?.label, "Undo");
  mail.end();
});

Deno.test("an action that had nothing to change says so, and offers no undo", async () => {
  const mail = await someMail([emailIn("m", ["archive"])]);
  mail.program.answer("MailAction/set", () => ({ created: { action: recordOf({ changed: 0 }) } }));
  mail.performer.perform({ verb: "archive" }, [mail.target]);
  await mail.settled();
  equal(mail.told(), ["Nothing to archive: these messages are not in the inbox."]);
  mail.end();
});

Deno.test("a large action shows how far it is, and then what it changed", async () => {
  const mail = await someMail([emailIn("m", ["inbox"])]);
  const running = recordOf({ state: "running", total: 2215, done: 100, changed: 120 });
  let current = running;
  mail.program.answer("MailAction/set", () => ({ created: { action: running } }));
  mail.program.answer("MailAction/get", () => ({ list: [current] }));
  mail.performer.perform({ verb: "archive" }, [mail.target]);
  await mail.settled();
  await mail.settled();
  equal(mail.told(), ["100 of 2,215 conversations done"]);
  current = { ...running, done: 200 };
  mail.changed();
  await mail.settled();
  equal(mail.told(), ["200 of 2,215 conversations done"]);
  current = { ...running, state: "done", done: 2215, changed: 3000 };
  mail.changed();
  await mail.settled();
  equal(mail.told(), ["3,000 messages archived"]);
  mail.end();
});

Deno.test("the last action on record is undone by its id", async () => {
  const mail = await someMail([emailIn("m", ["inbox"])]);
  mail.program.answer("MailAction/query", () => ({ ids: ["A2"] }));
  mail.program.answer("MailAction/get", () => ({ list: [recordOf({ id: "A2", changed: 3 })] }));
  mail.program.answer(
    "MailAction/set",
    () => ({ updated: { A2: recordOf({ state: "undone", changed: 3 }) } }),
  );
  await mail.performer.undoLast();
  equal(mail.asked(), [["A2"]]);
  equal(mail.told(), ["Undone: 3 messages archived"]);
  mail.program.answer("MailAction/get", () => ({ list: [] }));
  await mail.performer.undoLast();
  equal(mail.told(), ["Undone: 3 messages archived", "There is nothing to undo."]);
  mail.program.answer("MailAction/get", () => ({ list: [recordOf({ client: "automatic", changed: 1 })] }));
  await mail.performer.undoLast();
  equal(mail.asked().length, 1);
  mail.end();
});

Deno.test("undoing says what could not be undone", async () => {
  const mail = await someMail([emailIn("m", ["inbox"])]);
  const action = { ...recordOf(), accountId: "a" };
  mail.program.answer("MailAction/set", () => ({ updated: { A1: recordOf({ state: "undone", kept: 2 }) } }));
  await mail.performer.undo([action]);
  mail.program.answer("MailAction/set", () => ({
    notUpdated: { A1: { type: "forbidden", description: "This action was already undone." } },
  }));
  await mail.performer.undo([action]);
  equal(mail.told(), [
    "Undone, except for 2 messages changed or deleted since",
    "Not undone: This action was already undone.",
  ]);
  mail.end();
});

Deno.test("opening a message marks it as read, and is no action", async () => {
  const mail = await someMail([emailIn("m", ["inbox"])]);
  mail.program.answer("Email/set", () => ({ updated: {} }));
  await mail.performer.see("a", ["m"]);
  equal(mail.app.emails.get("a", "m")?.keywords, { $seen: true });
  mail.program.answer("Email/set", () => ({ notUpdated: { m: { type: "forbidden" } } }));
  await mail.performer.see("a", ["m"]);
  equal([mail.asked(), mail.told()], [[], []]);
});
