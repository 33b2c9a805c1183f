import { equal } from "../../testing/assert.ts";
import { emailIn, mailboxNamed } from "../../testing/mail.ts";
import { difference, switched, wantedShare } from "./labelShare.ts";
import { isMissing, matching } from "./mailboxSearch.ts";

const LABELS = ["Travel", "Work", "Zoo"].map((id) => mailboxNamed(id));
const [TRAVEL, WORK, ZOO] = LABELS as [typeof LABELS[0], typeof LABELS[0], typeof LABELS[0]];
const TARGETS = {
  isPartial: false,
  targets: [["Travel", "Work"], ["Travel"]].map((places, index) => ({
    accountId: "a",
    threadId: `t${index}`,
    emails: [emailIn("m", places)],
    mailboxId: null,
  })),
};

Deno.test("ORG-05: a label that some conversations have is given to all, and then taken from all", () => {
  const shares = (chosen = new Map<string, boolean>()) =>
    LABELS.map((label) => wantedShare(chosen, TARGETS, label));
  equal(shares(), ["all", "some", "none"]);
  const once = switched(new Map(), TARGETS, WORK);
  equal(difference(once, TARGETS, LABELS), { added: [WORK], removed: [] });
  const twice = switched(once, TARGETS, WORK);
  equal(difference(twice, TARGETS, LABELS), { added: [], removed: [WORK] });
  // What is switched back changes nothing.
  const other = switched(switched(twice, TARGETS, ZOO), TARGETS, ZOO);
  equal(difference(switched(other, TARGETS, TRAVEL), TARGETS, LABELS), {
    added: [],
    removed: [TRAVEL, WORK],
  });
});

Deno.test("a label can be given to a whole list and taken from it, whatever its loaded conversations have", () => {
  const whole = { ...TARGETS, isPartial: true };
  equal(LABELS.map((label) => wantedShare(new Map(), whole, label)), ["some", "some", "some"]);
  const once = switched(switched(new Map(), whole, TRAVEL), whole, ZOO);
  const twice = switched(once, whole, ZOO);
  equal(difference(twice, whole, LABELS), { added: [TRAVEL], removed: [ZOO] });
});

Deno.test("ORG-01: the mailbox of just this name is the first, and no second one of it is offered", () => {
  const all = [mailboxNamed("Workshop"), mailboxNamed("work"), mailboxNamed("junk", "junk")];
  equal(matching(all, " WORK").map(({ id }) => id), ["work", "Workshop"]);
  equal(["Work", "Spam", " ", "Wor"].map((text) => isMissing(all, text)), [false, false, false, true]);
});
