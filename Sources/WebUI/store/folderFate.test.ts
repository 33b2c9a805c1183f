import { someMail } from "../testing/app.ts";
import { equal } from "../testing/assert.ts";
import { mailboxNamed } from "../testing/mail.ts";
import { consequences } from "./folderFate.ts";
import type { MailAccount } from "./parts.ts";

const MAILBOXES = [
  mailboxNamed("trash", "trash"),
  mailboxNamed("Work"),
  { ...mailboxNamed("Plans"), parentId: "Work" },
  { ...mailboxNamed("Old"), parentId: "trash" },
];

async function saying(hasLabels: boolean, ids: string[], total: number, only = 0): Promise<string> {
  const { app } = await someMail([], MAILBOXES);
  const account = { ...app.accounts[0], hasLabels } as MailAccount;
  return consequences({ account, mailboxes: MAILBOXES.filter(({ id }) => ids.includes(id)), total, only });
}

Deno.test("ORG-02: before a label is deleted it is said what becomes of its messages", async () => {
  equal(await saying(true, ["Work"], 0), "No message has this label.");
  equal(await saying(true, ["Work"], 3), "3 messages lose this label. No message is deleted.");
  equal(
    await saying(true, ["Work"], 3, 1),
    "3 messages lose this label. 1 message without another label moves to Archive.",
  );
  equal(
    await saying(true, ["Work", "Plans"], 1, 1),
    "The 1 label in it is deleted as well. 1 message loses these labels. It has no other and moves to Archive.",
  );
});

Deno.test("ORG-02: before a folder is deleted it is said where its mail goes", async () => {
  const older = "Older mail that is only on the server moves to Trash as well.";
  equal(await saying(false, ["Work"], 1200), `1,200 messages in it move to Trash. ${older}`);
  equal(await saying(false, ["Work"], 0), `It contains no mail on this device. ${older}`);
  equal(
    await saying(false, ["Old"], 2),
    "2 messages in it are deleted permanently. Older mail that is only on the server is deleted permanently as well.",
  );
});
