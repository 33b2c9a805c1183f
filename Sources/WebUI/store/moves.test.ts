import type { MailboxRole } from "../jmap/types.ts";
import { equal } from "../testing/assert.ts";
import { emailIn, mailboxNamed } from "../testing/mail.ts";
import type { Target } from "./target.ts";
import { apart, doomed, moves } from "./moves.ts";

const roles: MailboxRole[] = ["inbox", "drafts", "sent", "archive", "junk", "trash", "flagged"];
const mailboxes = [
  mailboxNamed("Work"),
  mailboxNamed("Lists"),
  ...roles.map((role) => mailboxNamed(role, role)),
];
const labels = { mailboxes, hasLabels: true };
const folders = { mailboxes, hasLabels: false };

/** Its emails are named by where they are: `inbox+Work`. */
function conversation(places: string[], mailboxId: string | null = null): Target {
  const emails = places.map((place) =>
    emailIn(place, place.split("+"), ...(place.startsWith("drafts") ? ["$draft"] : []))
  );
  return { accountId: "a", threadId: "t", emails, mailboxId };
}

/** What becomes of each email that changes: `-inbox+archive`. */
function moved(target: Target, to: string, places: typeof labels): Record<string, string> {
  const mailbox = mailboxes.find(({ id }) => id === to);
  if (!mailbox) throw new Error(to);
  return Object.fromEntries(
    moves(target, mailbox, places).map(({ id, patch }) => [
      id,
      Object.entries(patch.mailboxIds ?? {}).map(([box, value]) => (value ? "+" : "-") + box).join(""),
    ]),
  );
}

Deno.test("the archive takes out of the inbox and of nothing else", () => {
  const all = ["inbox+Work", "inbox+flagged", "Lists", "sent", "drafts", "trash"];
  for (const at of [null, "inbox", "Work"]) {
    equal(moved(conversation(all, at), "archive", labels), {
      "inbox+Work": "-inbox+archive",
      "inbox+flagged": "-inbox+archive",
    });
  }
  equal(moved(conversation(["inbox", "Work", "sent"]), "archive", folders), { inbox: "-inbox+archive" });
});

Deno.test("a message to oneself leaves the inbox and stays among what was sent", () => {
  equal(moved(conversation(["inbox+sent"]), "archive", labels), { "inbox+sent": "-inbox+archive" });
});

Deno.test("what is in no inbox goes to the archive from a folder, and is archived already under a label", () => {
  equal(moved(conversation(["Work", "sent", "drafts"]), "archive", folders), { Work: "-Work+archive" });
  equal(moved(conversation(["Work", "Lists"], "Work"), "archive", folders), { Work: "-Work+archive" });
  equal(moved(conversation(["Work", "sent"]), "archive", labels), {});
  equal(moved(conversation(["sent"], "sent"), "archive", folders), {});
});

Deno.test("what is looked at in Trash or Spam is brought back, and only that", () => {
  for (const places of [labels, folders]) {
    equal(moved(conversation(["inbox", "trash"], "trash"), "archive", places), { trash: "-trash+archive" });
    equal(moved(conversation(["inbox", "junk"], "junk"), "inbox", places), { junk: "-junk+inbox" });
    equal(moved(conversation(["trash", "sent"]), "archive", places), { trash: "-trash+archive" });
  }
});

Deno.test("Trash takes the whole conversation out of everywhere, but not its drafts", () => {
  const all = ["inbox+Work", "sent", "archive", "drafts", "trash"];
  for (const at of [null, "inbox", "sent"]) {
    equal(moved(conversation(all, at), "trash", labels), {
      "inbox+Work": "-inbox-Work+trash",
      "sent": "-sent+trash",
      "archive": "-archive+trash",
    });
  }
  equal(moved(conversation(all, "drafts"), "trash", labels), { drafts: "-drafts+trash" });
  equal(moved(conversation(["drafts"]), "trash", folders), { drafts: "-drafts+trash" });
});

Deno.test("spam is what others wrote", () => {
  equal(moved(conversation(["inbox+Work", "Lists", "sent", "drafts", "trash"]), "junk", labels), {
    "inbox+Work": "-inbox-Work+junk",
    "Lists": "-Lists+junk",
  });
  equal(moved(conversation(["sent"]), "junk", folders), {});
});

Deno.test("what was found keeps its labels when it moves, and what was sent stays", () => {
  const all = ["inbox+Work", "archive", "sent", "drafts", "trash"];
  equal(moved(conversation(all), "Lists", labels), {
    "inbox+Work": "-inbox+Lists",
    "archive": "-archive+Lists",
  });
  equal(moved(conversation(["inbox", "Work", "sent", "trash"]), "Lists", folders), {
    inbox: "-inbox+Lists",
    Work: "-Work+Lists",
  });
  // Unless it is all that there is.
  equal(moved(conversation(["sent", "drafts"]), "Lists", folders), { sent: "-sent+Lists" });
});

Deno.test("from a mailbox it is what is there that moves", () => {
  equal(moved(conversation(["Work+inbox", "inbox", "sent"], "Work"), "Lists", labels), {
    "Work+inbox": "-Work+Lists",
  });
  equal(moved(conversation(["sent", "inbox"], "sent"), "Work", folders), { sent: "-sent+Work" });
  equal(moved(conversation(["Work"], "Work"), "Work", folders), {});
  equal(moved(conversation(["Work"]), "Work", labels), {});
});

Deno.test("what is all in Trash or Spam is deleted for good, and its draft is not", () => {
  const ids = (target: Target) => doomed(target, labels).map(({ id }) => id);
  equal(ids(conversation(["trash", "junk", "drafts"])), ["trash", "junk"]);
  equal(ids(conversation(["trash", "inbox"])), []);
  equal(ids(conversation(["trash", "inbox"], "trash")), ["trash"]);
  equal(ids(conversation(["drafts"])), []);
});

Deno.test("what was found says when it is in Trash or Spam alone", () => {
  equal(apart(conversation(["junk"]), folders)?.id, "junk");
  equal(apart(conversation(["trash", "sent"]), folders), undefined);
  equal(apart(conversation(["trash"], "trash"), folders), undefined);
});
