import { equal } from "../testing/assert.ts";
import { emailIn, mailboxNamed } from "../testing/mail.ts";
import { forbidden, undeletable } from "./rights.ts";

const mailboxes = [
  mailboxNamed("Free"),
  mailboxNamed("Shared", null, "mayAddItems", "mayRemoveItems", "maySetSeen", "maySetKeywords"),
  mailboxNamed("Readable", null, "maySetKeywords"),
];

const email = (...places: string[]) => emailIn("e", places);

Deno.test("keywords need their right in every mailbox that the email is in", () => {
  const seen = { keywords: { $seen: true as const } };
  equal(forbidden(email("Free"), seen, mailboxes), null);
  equal(forbidden(email("Readable"), seen, mailboxes), null);
  equal(
    forbidden(email("Free", "Shared"), seen, mailboxes),
    "Messages in “Shared” cannot be marked as read or unread.",
  );
  equal(
    forbidden(email("Free", "Readable"), { keywords: { $flagged: null } }, mailboxes),
    "Stars and tags cannot be changed in “Readable”.",
  );
});

Deno.test("a move needs the rights of what it leaves and of what it goes to, and of nothing else", () => {
  const to = (id: string, from: string) => ({ mailboxIds: { [id]: true as const, [from]: null } });
  equal(forbidden(email("Free", "Shared"), to("Readable", "Free"), mailboxes), null);
  equal(forbidden(email("Free"), to("Shared", "Free"), mailboxes), "Messages cannot be added to “Shared”.");
  equal(
    forbidden(email("Shared"), to("Free", "Shared"), mailboxes),
    "Messages cannot be removed from “Shared”.",
  );
});

Deno.test("an email is deleted only where every mailbox allows it", () => {
  equal(undeletable(email("Free", "Readable"), mailboxes), null);
  equal(undeletable(email("Free", "Shared"), mailboxes), "Messages in “Shared” cannot be deleted.");
});
