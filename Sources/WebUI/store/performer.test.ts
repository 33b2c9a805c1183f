import { equal } from "../testing/assert.ts";
import { someMail } from "../testing/app.ts";
import { emailIn, mailboxNamed } from "../testing/mail.ts";
import { refusal } from "./prospects.ts";

Deno.test("every verb is one call, and undoing it another", async () => {
  for (
    const [verb, update] of [
      ["archive", { "mailboxIds/inbox": null, "mailboxIds/archive": true }],
      ["trash", { "mailboxIds/inbox": null, "mailboxIds/trash": true }],
      ["spam", { "mailboxIds/inbox": null, "mailboxIds/junk": true }],
      ["read", { "keywords/$seen": true }],
    ] as const
  ) {
    const mail = await someMail([emailIn("m", ["inbox"])]);
    equal(await mail.performer.perform({ verb }, [mail.target]), true);
    await mail.settled();
    equal(mail.sets(), [{ m: update }]);
    const [toast] = mail.app.toasts.list;
    mail.app.toasts.act(toast?.id ?? 0);
    await mail.settled();
    const back = Object.fromEntries(Object.entries(update).map(([key, value]) => [key, value ? null : true]));
    equal(mail.sets(), [{ m: update }, { m: back }]);
    mail.end();
  }
});

Deno.test("what is in Trash is deleted for good, once it is confirmed", async () => {
  const mail = await someMail([emailIn("m", ["trash"])]);
  const asked = mail.performer.perform({ verb: "delete" }, [{ ...mail.target, mailboxId: "trash" }]);
  equal(mail.app.dialogs.current?.title, "Permanently delete this message?");
  mail.app.dialogs.current?.answer(true);
  equal(await asked, true);
  equal(mail.program.calls.filter(([name]) => name === "Email/set").map(([, values]) => values["destroy"]), [[
    "m",
  ]]);
  mail.end();
});

Deno.test("what the rights forbid is known before, and is never asked of the program", async () => {
  const mailboxes = [mailboxNamed("inbox", "inbox", "mayRemoveItems"), mailboxNamed("archive", "archive")];
  const mail = await someMail([emailIn("m", ["inbox"])], mailboxes);
  const reason = "Messages cannot be removed from “Inbox”.";
  equal(refusal(mail.app, { verb: "archive" }, [mail.target]), reason);
  equal(refusal(mail.app, { verb: "star" }, [mail.target]), null);
  equal(refusal(mail.app, { verb: "spam" }, [mail.target]), "This account has no Spam folder.");
  equal(await mail.performer.perform({ verb: "archive" }, [mail.target]), false);
  equal(mail.app.toasts.list.map(({ text }) => text), [reason]);
  equal(mail.program.count("Email/set"), 0);
  mail.end();
});

Deno.test("of a selection, what is allowed can be done", async () => {
  const mailboxes = [mailboxNamed("inbox", "inbox"), mailboxNamed("shared", null, "maySetKeywords")];
  const mail = await someMail([emailIn("m", ["inbox"]), emailIn("n", ["shared"])], mailboxes);
  const [one, other] = mail.target.emails.map((email) => ({ ...mail.target, emails: [email] }));
  if (!one || !other) throw new Error("there is no mail");
  equal(refusal(mail.app, { verb: "star" }, [one, other]), null);
  equal(refusal(mail.app, { verb: "star" }, [other]), "Stars and tags cannot be changed in “shared”.");
  mail.end();
});

Deno.test("what the program refuses is put back, and said once", async () => {
  const mail = await someMail([emailIn("m", ["inbox"])]);
  mail.program.answer(
    "Email/set",
    () => ({ notUpdated: { m: { type: "forbidden", description: "The server said no." } } }),
  );
  mail.performer.perform({ verb: "star" }, [mail.target]);
  equal(mail.app.emails.get("a", "m")?.keywords, { $flagged: true });
  await mail.settled();
  equal(mail.app.emails.get("a", "m")?.keywords, {});
  equal(mail.app.toasts.list.map(({ text }) => text), [
    "The change was undone: The server said no.",
  ]);
  mail.end();
});
