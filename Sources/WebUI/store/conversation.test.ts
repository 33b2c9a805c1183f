import { someMail } from "../testing/app.ts";
import { equal } from "../testing/assert.ts";
import { emailIn } from "../testing/mail.ts";
import type { App } from "./app.ts";
import { Conversation } from "./conversation.ts";

/** An unread conversation of two messages, and the ids that were marked as read. */
async function unread() {
  const emails = [emailIn("m", ["inbox"]), emailIn("n", ["inbox"])];
  const mail = await someMail(emails);
  mail.program.answer("Thread/get", () => ({ list: [{ id: "t", emailIds: ["m", "n"] }] }));
  mail.program.answer("Email/get", () => ({ list: emails }));
  mail.program.answer("EmailView/get", () => ({ list: [] }));
  const seen: string[] = [];
  const actions = { see: (_: string, ids: string[]) => seen.push(...ids) };
  return { mail, seen, app: { ...mail.app, actions } as unknown as App };
}

Deno.test("what is opened to be read is marked as read, and what is opened to be printed is not", async () => {
  for (const [isRead, marked] of [[true, ["m", "n"]], [false, []]] as const) {
    const { mail, seen, app } = await unread();
    const conversation = new Conversation(app, "a", "t", { isRead });
    await conversation.load();
    conversation.openAll();
    await mail.settled();
    equal([...new Set(seen)], [...marked]);
    equal([...conversation.open], ["m", "n"]);
  }
});

Deno.test("changes while a conversation is being loaded load it once more, and not each time", async () => {
  const { mail, app } = await unread();
  const conversation = new Conversation(app, "a", "t");
  await Promise.all([1, 2, 3, 4, 5].map(() => conversation.load()));
  equal(mail.program.count("Thread/get"), 2);
  await conversation.load();
  equal(mail.program.count("Thread/get"), 3);
});
