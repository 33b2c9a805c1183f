/** Mailing lists and senders: docs/api.md, Unsubscription and Sender. */
import type { Sent } from "./compose.ts";
import type { Id, UTCDate } from "./types.ts";

export type UnsubscribeKind = "oneClick" | "mail" | "page";

/** A way to leave a list. */
export interface UnsubscribeMethod {
  method: UnsubscribeKind;
  /** The server that is asked or opened, or the address that gets a message. */
  target: string;
  warning: string | null;
  /** Of a page. */
  url: string | null;
}

/** What the user did about a list. */
export interface Unsubscribed {
  /** `waiting` can be undone. */
  state: "none" | "waiting" | "sending" | "failed" | "sent";
  method: UnsubscribeKind | null;
  target: string | null;
  at: UTCDate | null;
  submissionId: Id | null;
  /** Mail came more than two weeks later. */
  isStillSending: boolean;
}

/** The list of a message. */
export interface Unsubscription extends Unsubscribed {
  id: Id;
  sender: string;
  /** The best first. */
  methods: UnsubscribeMethod[];
}

/** Nulls where nothing is sent. */
export type UnsubscribeAnswer = { [Key in "submissionId" | "sendAt" | "undoSeconds"]: Sent[Key] | null };

/** Someone who has sent mail. */
export interface Sender {
  email: string;
  name: string | null;
  /** What is wrong with the address. */
  warning: string | null;
  total: number;
  /** Of the last 90 days. */
  recent: number;
  read: number;
  lastAt: UTCDate;
  lastEmailId: Id;
  unsubscribed: Unsubscribed | null;
}

export type SenderSort = "recent" | "total" | "readShare" | "lastAt" | "name";
