import type { CalendarTime, Invitation, Participation, Span } from "../jmap/invitation.ts";
import type { Address } from "../jmap/types.ts";
import { inOrder, listed, nameAndAddress } from "./words.ts";

const DAY = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
const CLOCK = { hour: "numeric", minute: "2-digit" } as const;

/** When it is, by the clock of this computer; nothing if it is not said. */
export function when({ start, end }: Span): string {
  if (!start) return "";
  const from = moment(start);
  if (isDay(start)) {
    // The end is the day after the last.
    const last = end ? new Date(moment(end).getTime() - 43_200_000) : from;
    return range(from, last < from ? from : last, DAY);
  }
  return range(from, end ? moment(end) : from, { ...DAY, ...CLOCK });
}

/** When it is where it was planned, if that is another time than here. */
export function whenElsewhere({ start, end }: Span): string {
  const zone = start?.timeZone ?? start?.zoneName;
  if (!start?.utc || !zone) return "";
  const wall = new Date(`${start.local}Z`);
  const here = moment(start);
  const isSame = wall.getUTCHours() === here.getHours() && wall.getUTCMinutes() === here.getMinutes() &&
    wall.getUTCDate() === here.getDate();
  if (isSame) return "";
  const isSameDay = wall.getUTCDate() === here.getDate();
  const isOneZone = end?.timeZone === start.timeZone && end?.zoneName === start.zoneName;
  const until = end && isOneZone ? new Date(`${end.local}Z`) : wall;
  const text = range(wall, until, {
    ...(isSameDay ? {} : { weekday: "long" }),
    ...CLOCK,
    timeZone: "UTC",
  });
  return `${text} in ${zoneWords(zone)}`;
}

/** A zone that is named and cannot be found: the time may be another one. */
export function unknownZone({ start }: Span): string {
  return start && !isDay(start) && !start.utc && start.zoneName ? inOrder(start.zoneName) : "";
}

function zoneWords(zone: string): string {
  return inOrder(zone).replaceAll("_", " ");
}

function isDay({ local }: CalendarTime): boolean {
  return !local.includes("T");
}

/** A day begins at midnight here; a time in no zone is that time here. */
function moment(time: CalendarTime): Date {
  return new Date(time.utc ?? (isDay(time) ? `${time.local}T00:00:00` : time.local));
}

function range(from: Date, to: Date, options: Intl.DateTimeFormatOptions): string {
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return "";
  const format = new Intl.DateTimeFormat(undefined, options);
  return to > from ? format.formatRange(from, to) : format.format(from);
}

const ANSWERS: Record<Participation, string> = {
  accepted: "Yes",
  tentative: "Maybe",
  declined: "No",
  "needs-action": "no answer yet",
  delegated: "sent a deputy",
};

export function answerWords(answer: Participation): string {
  return ANSWERS[answer];
}

/** What the message is. */
export function headline(invitation: Invitation): string {
  const { method, attendees, isCanceledLater, newerEmailId, previous, changes, recurrenceId } = invitation;
  const one = attendees[0];
  const who = one ? inOrder(one.name ?? one.email) : "A guest";
  const doing: Partial<Record<Participation, string>> = {
    accepted: "accepted",
    declined: "declined",
    tentative: "may come",
    delegated: "sends a deputy",
  };
  switch (method) {
    case "reply":
      return one?.isMe
        ? `Your answer: ${answerWords(one.participation)}`
        : `${who} ${doing[one?.participation ?? "needs-action"] ?? "has not decided yet"}`;
    case "counter":
      return `${who} proposes another time`;
    case "declinecounter":
      return "The other time that you proposed was declined";
    case "refresh":
      return `${who} asks for the current version`;
    case "cancel":
      return recurrenceId ? "One occurrence was canceled" : "Canceled";
    case "add":
      return "An occurrence was added";
    case "publish":
      return "Event";
    case "request":
      if (isCanceledLater) return "Canceled since";
      if (newerEmailId) return "Invitation, changed since";
      return previous || changes.length > 0 ? "Updated invitation" : "Invitation";
  }
}

/** What this version changed, each with how it was before, if that is short. */
export function changeWords({ changes, previous, recurrenceId }: Invitation): string[] {
  return changes.map((change) => {
    switch (change) {
      case "time": {
        const before = previous ?? { start: recurrenceId, end: recurrenceId };
        return was("New time", when(before));
      }
      case "place":
        return was("New place", oneLine(previous?.place ?? "") || "none");
      case "title":
        return was("New title", oneLine(previous?.title ?? "") || "none");
      case "recurrence":
        return was("Other dates", previous?.recurrence ?? "");
      case "notes":
        return "New description";
      case "guests":
        return "Other guests";
    }
  });
}

function was(what: string, before: string): string {
  return before ? `${what} (was: ${before})` : what;
}

export function oneLine(text: string): string {
  return inOrder(text).split("\n").map((line) => line.trim()).filter(Boolean).join(", ");
}

/** How the guests have answered so far. */
export function guestWords({ attendees, attendeeCount }: Invitation): string {
  const people = attendees.filter(({ isResource }) => !isResource);
  const said = (["accepted", "tentative", "declined"] as const).flatMap((answer) => {
    const number = people.filter(({ participation }) => participation === answer).length;
    return number > 0 ? [`${number} ${answerWords(answer).toLowerCase()}`] : [];
  });
  const rooms = attendees.length - people.length;
  const guests = attendeeCount - rooms;
  return `${guests} ${guests === 1 ? "guest" : "guests"}${said.length > 0 ? `: ${listed(said, 3)}` : ""}`;
}

/** What has become of the user's answer; nothing if there is none. */
export function answerSentence({ answer, answerState, earlierAnswer, note }: Invitation): string {
  const words = answer && answer !== "needs-action" ? `“${answerWords(answer)}”` : "";
  const more = note ? " with a note" : "";
  if (!words) {
    return earlierAnswer ? `You answered “${answerWords(earlierAnswer)}” to an earlier version.` : "";
  }
  switch (answerState) {
    case "waiting":
      return `Your answer ${words}${more} will be sent in a moment.`;
    case "sending":
      return `Your answer ${words}${more} is being sent.`;
    case "failed":
      return `Your answer ${words} could not be sent. It is in the Outbox.`;
    default:
      return `You answered ${words}${more}.`;
  }
}

/** Why the organizer, or the guest who answers, may not be who it seems, and where an answer goes; null if all is well. */
export function organizerNote(invitation: Invitation, senders: Address[]): string | null {
  const { organizer, isSenderExpected, organizerWarning, method, mayAnswer } = invitation;
  if (!organizer) return null;
  const from = listed(senders.map(nameAndAddress)) || "an unknown sender";
  if (["reply", "counter", "refresh"].includes(method)) {
    return isSenderExpected ? null : `This answer comes from ${from}, who is not the guest that it names.`;
  }
  const other = isSenderExpected
    ? ""
    : `The organizer is ${nameAndAddress(organizer)}, but this message comes from ${from}.`;
  const goes = mayAnswer ? `Your answer goes to ${inOrder(organizer.email)}.` : "";
  const doubts = [other, organizerWarning].filter(Boolean);
  return doubts.length > 0 ? [...doubts, goes].filter(Boolean).join(" ") : null;
}
