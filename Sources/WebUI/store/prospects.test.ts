import { someMail } from "../testing/app.ts";
import { equal } from "../testing/assert.ts";
import { emailIn, mailboxNamed } from "../testing/mail.ts";
import { apart, areApart, leaves, marks, refusal, wouldTake } from "./prospects.ts";

Deno.test("a conversation leaves the mailbox that an action takes it from", async () => {
  const mailboxes = [
    mailboxNamed("Work"),
    ...(["inbox", "archive", "junk", "trash", "sent", "snoozed"] as const)
      .map((role) => mailboxNamed(role, role)),
  ];
  const { app, target } = await someMail([emailIn("m", ["inbox", "Work"])], mailboxes);
  const [work] = mailboxes;
  if (!work) throw new Error("there is no mailbox");
  for (
    const [verb, places] of [
      ["archive", ["inbox", "junk", "trash"]],
      ["mute", ["inbox"]],
      ["snooze", ["inbox", "junk", "trash"]],
      ["unsnooze", ["snoozed"]],
      ["trash", ["inbox", "Work", "archive", "junk", "sent", "snoozed"]],
      ["spam", ["inbox", "Work", "archive", "trash", "sent", "snoozed"]],
      ["notSpam", ["Work", "archive", "junk", "trash", "sent", "snoozed"]],
      ["move", ["inbox", "archive", "junk", "trash", "sent", "snoozed"]],
      ["label", []],
      ["unlabel", ["Work"]],
      ["read", []],
      ["star", []],
    ] as const
  ) {
    const action = ["move", "label", "unlabel"].includes(verb) ? { verb, to: work } : { verb };
    const left = mailboxes.filter(({ id }) => leaves(app, action, { ...target, mailboxId: id }));
    equal([verb, left.map(({ id }) => id).sort()], [verb, [...places].sort()]);
    equal(leaves(app, action, target), false);
  }
});

Deno.test("keywords change where they are to be seen", async () => {
  const emails = [emailIn("m", ["inbox"], "$flagged"), emailIn("n", ["inbox"], "$seen")];
  const { target } = await someMail(emails);
  const changed = (verb: Parameters<typeof marks>[0]["verb"]) =>
    marks({ verb }, target).map(({ id, keywords }) => ({ [id]: keywords }));
  equal(changed("read"), [{ m: { $seen: true } }]);
  equal(changed("unread"), [{ n: { $seen: null } }]);
  equal(changed("star"), [{ n: { $flagged: true } }]);
  equal(changed("unstar"), [{ m: { $flagged: null } }]);
  equal(changed("archive"), []);
});

Deno.test("mail that is in Trash or Spam alone is deleted permanently", async () => {
  const of = async (mailboxId: string | null, ...places: string[]) => {
    const emails = places.map((place, index) =>
      emailIn(`m${index}`, [place], ...(place === "drafts" ? ["$draft"] : []))
    );
    const { app, target } = await someMail(emails);
    const targets = [{ ...target, mailboxId }];
    return [
      apart(app, targets[0] ?? target)?.id ?? null,
      areApart(app, targets),
      areApart(app, targets, "junk"),
    ];
  };
  equal(await of(null, "trash", "junk", "drafts"), ["trash", true, false]);
  equal(await of(null, "trash", "inbox"), [null, false, false]);
  equal(await of(null, "drafts"), [null, false, false]);
  equal(await of(null, "junk"), ["junk", true, true]);
  equal(await of("trash", "trash", "inbox"), ["trash", true, false]);
  equal(await of("inbox", "trash"), [null, false, false]);
});

Deno.test("of a conversation that is not loaded as a whole, nothing is said about the rest", async () => {
  const { app, target } = await someMail([emailIn("m", ["trash"]), emailIn("n", ["inbox"])]);
  equal(apart(app, { ...target, emails: target.emails.slice(0, 1) }) ?? null, null);
});

Deno.test("a mailbox takes conversations that are not in it", async () => {
  const { target } = await someMail([emailIn("m", ["inbox", "Work"])]);
  equal(wouldTake(target, mailboxNamed("Lists")), true);
  equal(wouldTake(target, mailboxNamed("Work")), false);
  equal(wouldTake({ ...target, mailboxId: "Lists" }, mailboxNamed("Lists")), false);
});

Deno.test("an action that certainly will be refused says why beforehand", async () => {
  const mailboxes = [
    mailboxNamed("inbox", "inbox", "mayRemoveItems", "maySetSeen"),
    mailboxNamed("archive", "archive"),
    mailboxNamed("Free"),
  ];
  const reason = "Messages cannot be removed from “Inbox”.";
  const mail = await someMail([emailIn("m", ["inbox"])], mailboxes);
  equal(refusal(mail.app, { verb: "archive" }, [mail.target]), reason);
  equal(refusal(mail.app, { verb: "star" }, [mail.target]), null);
  equal(refusal(mail.app, { verb: "spam" }, [mail.target]), "This account has no Spam folder.");
  equal(mail.performer.perform({ verb: "archive" }, [mail.target]), false);
  equal([mail.told(), mail.asked()], [[reason], []]);
  mail.end();
  // Whether it leaves the inbox is for the program to say; its keywords need the right in both.
  const both = await someMail([emailIn("m", ["inbox", "Free"])], mailboxes);
  equal(refusal(both.app, { verb: "archive" }, [both.target]), null);
  equal(
    refusal(both.app, { verb: "read" }, [both.target]),
    "Messages in “Inbox” cannot be marked as read or unread.",
  );
  // Of a selection, the program does what is allowed.
  const free = { ...mail.target, emails: [emailIn("n", ["Free"])] };
  equal(refusal(mail.app, { verb: "archive" }, [mail.target, free]), null);
});
