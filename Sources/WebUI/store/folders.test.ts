import { equal } from "../testing/assert.ts";
import { mailboxNamed } from "../testing/mail.ts";
import { foldersOf } from "./folders.ts";

function folder(id: string, parentId: string | null, unreadThreads = 0) {
  return { ...mailboxNamed(id, null), parentId, unreadThreads };
}

const MAILBOXES = [folder("b", "a", 2), folder("a", null, 1), folder("c", "b", 4), folder("d", "gone")];

Deno.test("parents come before what is in them", () => {
  equal(foldersOf(MAILBOXES).map(({ mailbox, depth }) => `${mailbox.id}${depth}`), ["a0", "b1", "c2", "d0"]);
});

Deno.test("a collapsed folder hides what is in it and counts its unread mail", () => {
  const folders = foldersOf(MAILBOXES, (id) => id === "a");
  equal(folders.map(({ mailbox, unread }) => [mailbox.id, unread]), [["a", 7], ["d", 0]]);
});

Deno.test("a ring of parents ends", () => {
  equal(foldersOf([folder("a", "b"), folder("b", "a")]), []);
});
