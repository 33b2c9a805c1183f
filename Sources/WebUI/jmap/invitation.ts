import type { Id, UTCDate } from "./types.ts";

export type Answer = "accepted" | "tentative" | "declined";
export type Participation = Answer | "needs-action" | "delegated";

/** A day, or a time by the clock of its zone. */
export interface CalendarTime {
  /** `2026-03-10T14:00:00`, or `2026-03-10` for a day. */
  local: string;
  /** Null for a day, and for a time in no known zone. */
  utc: UTCDate | null;
  /** In the tz database. */
  timeZone: string | null;
  /** As the sender named it. */
  zoneName: string | null;
}

export interface CalendarPerson {
  name: string | null;
  email: string;
}

export interface Attendee extends CalendarPerson {
  participation: Participation;
  isOptional: boolean;
  isResource: boolean;
  delegatedTo: string | null;
  delegatedFrom: string | null;
  isMe: boolean;
}

export interface Span {
  start: CalendarTime | null;
  end: CalendarTime | null;
}

/** An invitation in a message: docs/api.md, Invitation. */
export interface Invitation extends Span {
  id: Id;
  blobId: Id;
  method:
    | "publish"
    | "request"
    | "reply"
    | "add"
    | "cancel"
    | "refresh"
    | "counter"
    | "declinecounter";
  status: "confirmed" | "tentative" | "cancelled" | null;
  title: string;
  place: string;
  notes: string;
  comment: string;
  recurrenceId: CalendarTime | null;
  recurrence: { words: string; isListed: boolean; next: (Span & { isException: boolean })[] } | null;
  organizer: CalendarPerson | null;
  attendees: Attendee[];
  attendeeCount: number;
  otherCount: number;
  isIncomplete: boolean;
  me: CalendarPerson | null;
  isOrganizer: boolean;
  isSenderExpected: boolean;
  /** What is wrong with the organizer's address. */
  organizerWarning: string | null;
  mayAnswer: boolean;
  answer: Participation | null;
  note: string;
  answerState: "none" | "waiting" | "sending" | "failed" | "sent";
  submissionId: Id | null;
  earlierAnswer: Participation | null;
  changes: ("time" | "recurrence" | "place" | "title" | "notes" | "guests")[];
  previous: (Span & { title: string; place: string; recurrence: string | null }) | null;
  newerEmailId: Id | null;
  isCanceledLater: boolean;
}
