import type { App } from "../store/app.ts";
import { someMail } from "../testing/app.ts";
import { equal, isTrue } from "../testing/assert.ts";
import { emailIn, mailboxNamed } from "../testing/mail.ts";
import type { Action, Place, Subject } from "./action.ts";
import { CONVERSATION, CONVERSATIONS } from "./conversation.ts";
import { EVERYWHERE } from "./everywhere.ts";
import { LIST } from "./list.ts";
import { MESSAGE } from "./message.ts";
import { menuItems, nameIn, offers, shortcuts } from "./offers.ts";

type Mail = Awaited<ReturnType<typeof someMail>>;

function subjectOf({ app, performer, target }: Mail): Subject {
  return { app: { ...app, actions: performer } as unknown as App, targets: [target] };
}

function labels(actions: Action[], subject: Subject, place: Place): string[] {
  return offers(actions, subject, place).map(({ label }) => label);
}

Deno.test("each place offers its actions, named after what they would do", async () => {
  const mail = await someMail([emailIn("m", ["inbox"], "$flagged")]);
  const subject = subjectOf(mail);
  equal(labels(CONVERSATIONS, subject, "bar"), [
    "Archive",
    "Delete",
    "Move to folder",
    "Snooze",
    "Mark as read",
    "Remove star",
  ]);
  equal(labels(CONVERSATIONS, subject, "toolbar"), [
    "Archive",
    "Delete",
    "Move to folder",
    "Snooze",
    "Remove star",
  ]);
  equal(labels(CONVERSATIONS, subject, "row"), ["Archive", "Delete", "Mark as read"]);
  equal(labels(CONVERSATIONS, subject, "rowMark"), ["Remove star"]);
  equal(labels(CONVERSATIONS, subject, "menu"), [
    "Label",
    "Mark as unread",
    "Mark as read",
    "Mark as spam",
    "Mute",
  ]);
  const seen = subjectOf(await someMail([emailIn("m", ["trash"], "$seen")]));
  equal(labels(CONVERSATIONS, seen, "row"), ["Archive", "Delete permanently", "Mark as unread"]);
});

Deno.test("in Spam, mail is not spam with the same key, and a muted conversation is unmuted", async () => {
  const mail = await someMail([emailIn("m", ["junk"], "$muted")]);
  const subject = subjectOf(mail);
  equal(labels(CONVERSATIONS, subject, "toolbar").includes("Not spam"), true);
  equal(labels(CONVERSATIONS, subject, "menu").includes("Unmute"), true);
  for (
    const key of shortcuts(CONVERSATIONS, () => subject).filter(({ keys }) => "!m".includes(keys[0] ?? " "))
  ) {
    key.run({} as KeyboardEvent);
  }
  await mail.settled();
  equal(mail.asked(), [{ verb: "notSpam", threadIds: ["t"] }, { verb: "unmute", threadIds: ["t"] }]);
  mail.end();
});

Deno.test("ORG-59: snoozed mail is unsnoozed where it is shown", async () => {
  const mailboxes = [mailboxNamed("inbox", "inbox"), mailboxNamed("Snoozed", "snoozed")];
  const snoozed = subjectOf(await someMail([emailIn("m", ["Snoozed"])], mailboxes));
  const awake = subjectOf(await someMail([emailIn("m", ["inbox"])], mailboxes));
  equal(labels(CONVERSATIONS, snoozed, "toolbar").includes("Unsnooze"), true);
  equal(labels(CONVERSATIONS, awake, "toolbar").includes("Unsnooze"), false);
});

Deno.test("of a whole list nothing is hidden that one of its unloaded conversations could need", async () => {
  const mail = await someMail([emailIn("m", ["inbox"], "$seen", "$flagged", "$muted")]);
  const scope = { accountId: "a", sources: [{ accountId: "a", filter: {} }] };
  const whole = (total: number) =>
    ({ ...subjectOf(mail), all: scope, desk: { state: { list: { total }, scope } } }) as unknown as Subject;
  const idle = (subject: Subject) =>
    menuItems(CONVERSATIONS, subject, "barMenu").filter((item) => item.isDisabled).map(({ label }) => label);
  equal(labels(CONVERSATIONS, whole(2), "barMenu"), [
    "Label",
    "Mark as unread",
    "Mark as read",
    "Remove star",
    "Mark as spam",
    "Not spam",
    "Mute",
    "Unmute",
  ]);
  equal(labels(CONVERSATIONS, whole(2), "bar").slice(-4), [
    "Unsnooze",
    "Mark as unread",
    "Mark as read",
    "Star",
  ]);
  equal(idle(whole(2)), []);
  // All are loaded.
  equal(labels(CONVERSATIONS, whole(1), "bar").slice(-2), ["Mark as unread", "Remove star"]);
  equal(idle(whole(1)), ["Mark as read"]);
  mail.end();
});

Deno.test("a finger archives to the right and deletes to the left", () => {
  equal([nameIn(CONVERSATIONS, "swipeRight"), nameIn(CONVERSATIONS, "swipeLeft")], ["archive", "delete"]);
});

Deno.test("an action that the rights forbid is shown, and says why it does nothing", async () => {
  const mailboxes = [mailboxNamed("inbox", "inbox", "mayRemoveItems"), mailboxNamed("archive", "archive")];
  const mail = await someMail([emailIn("m", ["inbox"])], mailboxes);
  const reason = "Messages cannot be removed from “Inbox”.";
  const [archive] = offers(CONVERSATIONS, subjectOf(mail), "toolbar");
  equal(archive?.problem, reason);
  archive?.run();
  equal(mail.app.toasts.list.map(({ text }) => text), [reason]);
  const items = menuItems(CONVERSATIONS, subjectOf(mail), "rowMenu");
  equal(
    items.map(({ label, problem }) => [label, problem ?? null]),
    [
      ["Archive", reason],
      ["Delete", "This account has no Trash folder."],
      ["Move to folder", null],
      ["Snooze", null],
      ["Label", null],
      ["Mark as spam", "This account has no Spam folder."],
      ["Mute", null],
      ["Mark as read", null],
      ["Star", null],
    ].sort((left, right) => order(items, left[0]) - order(items, right[0])),
  );
  mail.end();
});

function order(items: { label: string }[], label: string | null | undefined): number {
  return items.findIndex((item) => item.label === label);
}

Deno.test("one more entry is in every place that it names, and does what it says", async () => {
  const mail = await someMail([emailIn("m", ["inbox"])]);
  const later: Action = {
    id: "later",
    label: "Later",
    icon: "clock",
    keys: ["b"],
    places: ["toolbar", "menu", "bar", "row", "rowMenu", "swipeLeft"],
    change: () => ({ verb: "archive" }),
    next: "next",
  };
  for (const place of later.places ?? []) {
    const offer = offers([...CONVERSATIONS, later], subjectOf(mail), place).find(({ id }) => id === "later");
    equal([offer?.label, offer?.icon, offer?.hint], ["Later", "clock", "b"]);
  }
  const [key] = shortcuts([later], () => subjectOf(mail));
  equal([key?.keys, key?.does], [["b"], "Later"]);
  key?.run({} as KeyboardEvent);
  await mail.settled();
  equal(mail.asked(), [{ verb: "archive", threadIds: ["t"] }]);
  mail.end();
});

Deno.test("a key without a subject does nothing", () => {
  const [key] = shortcuts(CONVERSATIONS, () => null);
  equal(key?.run({} as KeyboardEvent) ?? null, null);
});

Deno.test("no two actions that are there at once share a name or a key", () => {
  for (const actions of [[...LIST, ...CONVERSATION, ...EVERYWHERE], [...MESSAGE]] as Action[][]) {
    for (const all of [actions.map(({ id }) => id), actions.flatMap(({ keys = [] }) => keys)]) {
      isTrue(new Set(all).size === all.length, `one of these is there twice: ${all.join(" ")}`);
    }
  }
});
