import type { CalendarTime, Invitation } from "../jmap/invitation.ts";
import { equal, isTrue } from "../testing/assert.ts";
import { besideCalendar, isCalendar } from "./invitations.ts";
import {
  answerSentence,
  changeWords,
  guestWords,
  headline,
  organizerNote,
  unknownZone,
  when,
  whenElsewhere,
} from "./invitationWords.ts";

function time(local: string, utc: string | null = null, timeZone: string | null = null): CalendarTime {
  return { local, utc, timeZone, zoneName: timeZone };
}

function invitation(some: Partial<Invitation> = {}): Invitation {
  return {
    id: "m",
    blobId: "b",
    method: "request",
    status: null,
    title: "Planning",
    place: "",
    notes: "",
    comment: "",
    start: time("2026-03-10T13:00:00", "2026-03-10T13:00:00Z"),
    end: time("2026-03-10T14:00:00", "2026-03-10T14:00:00Z"),
    recurrenceId: null,
    recurrence: null,
    organizer: { name: "Grace", email: "grace@example.org" },
    attendees: [],
    attendeeCount: 0,
    otherCount: 0,
    isIncomplete: false,
    me: null,
    isOrganizer: false,
    isSenderExpected: true,
    organizerWarning: null,
    mayAnswer: true,
    answer: null,
    note: "",
    answerState: "none",
    submissionId: null,
    earlierAnswer: null,
    changes: [],
    previous: null,
    newerEmailId: null,
    isCanceledLater: false,
    ...some,
  };
}

const guest = (participation: "accepted" | "declined" | "needs-action", isMe = false) => ({
  name: "Bob",
  email: "bob@example.org",
  participation,
  isOptional: false,
  isResource: false,
  delegatedTo: null,
  delegatedFrom: null,
  isMe,
});

Deno.test("days end before the day after them", () => {
  const one = when({ start: time("2026-05-04"), end: time("2026-05-05") });
  equal(one, when({ start: time("2026-05-04"), end: null }));
  const two = when({ start: time("2026-05-04"), end: time("2026-05-06") });
  isTrue(two.includes("4") && two.includes("5") && !two.includes("6,"), two);
  equal(when({ start: null, end: null }), "");
});

Deno.test("the time elsewhere is said where it differs", () => {
  const utc = "2026-03-10T13:00:00Z";
  const here = new Date(utc);
  const local = (hours: number) =>
    new Date(here.getTime() - here.getTimezoneOffset() * 60_000 + hours * 3_600_000).toISOString().slice(
      0,
      19,
    );
  equal(whenElsewhere({ start: time(local(0), utc, "Europe/Berlin"), end: null }), "");
  equal(whenElsewhere({ start: time(local(3), utc), end: null }), "");
  isTrue(
    whenElsewhere({ start: time(local(3), utc, "America/New_York"), end: null }).endsWith(
      "in America/New York",
    ),
    "the zone is missing",
  );
  equal(unknownZone({ start: { ...time("2026-03-10T13:00:00"), zoneName: "Mars" }, end: null }), "Mars");
  equal(unknownZone({ start: time(local(3), utc, "Europe/Berlin"), end: null }), "");
});

Deno.test("the headline says what the message is", () => {
  equal(headline(invitation()), "Invitation");
  equal(headline(invitation({ changes: ["time"] })), "Updated invitation");
  equal(headline(invitation({ method: "cancel" })), "Canceled");
  equal(headline(invitation({ isCanceledLater: true, newerEmailId: "n" })), "Canceled since");
  equal(headline(invitation({ method: "reply", attendees: [guest("declined")] })), "Bob declined");
  equal(headline(invitation({ method: "reply", attendees: [guest("accepted", true)] })), "Your answer: Yes");
});

Deno.test("a doubtful organizer is pointed out with the address", () => {
  const boss = { name: "boss@demo.example", email: "mallory@evil.example" };
  equal(organizerNote(invitation(), [boss]), null);
  const fromAnother = organizerNote(invitation({ isSenderExpected: false }), [boss]) ?? "";
  isTrue(
    fromAnother.includes("<grace@example.org>") && fromAnother.includes("<mallory@evil.example>"),
    fromAnother,
  );
  isTrue(fromAnother.endsWith("Your answer goes to grace@example.org."), fromAnother);
  equal(
    organizerNote(invitation({ organizer: boss, organizerWarning: "It is odd." }), [boss]),
    "It is odd. Your answer goes to mallory@evil.example.",
  );
  equal(organizerNote(invitation({ organizerWarning: "None.", mayAnswer: false }), [boss]), "None.");
  const reply = { method: "reply", isSenderExpected: false, organizerWarning: "It is odd." } as const;
  isTrue(
    organizerNote(invitation(reply), [boss])?.startsWith("This answer comes from") === true,
    "of a guest",
  );
});

Deno.test("changes say what was before", () => {
  const previous = { title: "Plan", place: "", start: null, end: null, recurrence: null };
  equal(changeWords(invitation({ changes: ["title", "place", "notes"], previous })), [
    "New title (was: Plan)",
    "New place (was: none)",
    "New description",
  ]);
});

Deno.test("an answer is told by how far it is", () => {
  equal(answerSentence(invitation()), "");
  equal(answerSentence(invitation({ answer: "accepted" })), "You answered “Yes”.");
  equal(
    answerSentence(invitation({ answer: "tentative", answerState: "waiting", note: "Late" })),
    "Your answer “Maybe” with a note will be sent in a moment.",
  );
  equal(
    answerSentence(invitation({ earlierAnswer: "declined" })),
    "You answered “No” to an earlier version.",
  );
});

Deno.test("guests are counted by their answers", () => {
  const attendees = [guest("accepted"), guest("declined"), guest("needs-action")];
  equal(guestWords(invitation({ attendees, attendeeCount: 3 })), "3 guests: 1 yes and 1 no");
});

Deno.test("a calendar that is shown is no attachment, unless it is a file", () => {
  const part = (type: string, name: string | null, disposition: string | null, blobId: string) => ({
    partId: "1",
    blobId,
    size: 1,
    name,
    type,
    charset: null,
    disposition,
    cid: null,
  });
  const inText = part("text/calendar", null, null, "a");
  const file = part("application/ics", "invite.ics", "attachment", "b");
  const picture = part("image/png", "p.png", "attachment", "c");
  isTrue(isCalendar(inText) && isCalendar(file) && !isCalendar(picture), "kinds");
  equal(besideCalendar([inText, file, picture], "a"), [file, picture]);
  equal(besideCalendar([inText, file, picture], null), [inText, file, picture]);
});
