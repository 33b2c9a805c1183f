import { equal } from "../testing/assert.ts";
import { mailboxNamed } from "../testing/mail.ts";
import { above, badge, foldersOf, inside, isHidden, moved } from "./folders.ts";

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
  const ring = [folder("a", "b"), folder("b", "a")];
  equal(foldersOf(ring), []);
  equal(inside(ring, "a").map(({ id }) => id), ["b"]);
  equal(ring.flatMap((one) => above(ring, one).map(({ id }) => id)), ["b", "a"]);
});

Deno.test("ORG-02: a folder is deleted with all folders in it, and hidden with the one that it is in", () => {
  equal(inside(MAILBOXES, "a").map(({ id }) => id), ["b", "c"]);
  equal(above(MAILBOXES, folder("c", "b")).map(({ id }) => id), ["a", "b"]);
  const some = MAILBOXES.map((one) => one.id === "b" ? { ...one, isSubscribed: false } : one);
  equal(some.filter((one) => isHidden(some, one)).map(({ id }) => id), ["b", "c"]);
});

Deno.test("ORG-04: the number beside a folder is that of its kind, or as the user wants it", () => {
  const mailboxes = ["inbox", "trash", "drafts"] as const;
  const counted = mailboxes.map((role) => ({
    ...mailboxNamed(role, role),
    unreadThreads: 3,
    totalEmails: 5,
  }));
  equal(counted.map((one) => badge(one)), [3, 0, 5]);
  equal(counted.map((one) => badge(one, true)), [3, 3, 5]);
  equal(counted.map((one) => badge(one, false)), [0, 0, 0]);
});

Deno.test("ORG-04: a folder moves among those that are shown in the same place", () => {
  const all = ["a", "b", "c"].map((id) => ({ ...folder(id, null), sortOrder: 10 }));
  const inbox = { ...mailboxNamed("inbox", "inbox"), sortOrder: 1 };
  const [a, b, c] = all as [typeof inbox, typeof inbox, typeof inbox];
  const mailboxes = [inbox, ...all, folder("d", "a")];
  equal(moved(mailboxes, b, -1), [["a", { sortOrder: 11 }], ["c", { sortOrder: 12 }]]);
  equal(moved(mailboxes, b, 1), [["c", { sortOrder: 11 }], ["b", { sortOrder: 12 }]]);
  equal([moved(mailboxes, a, -1), moved(mailboxes, c, 1), moved(mailboxes, inbox, 1)], [[], [], []]);
  const hidden = mailboxes.map((one) => one.id === "b" ? { ...one, isSubscribed: false } : one);
  equal(moved(hidden, c, -1), [["a", { sortOrder: 11 }], ["b", { sortOrder: 12 }]]);
});
