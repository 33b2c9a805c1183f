import type { Answer } from "../jmap/invitation.ts";
import type { Action, Subject } from "./action.ts";

/** An invitation that expects an answer. */
export interface InvitationSubject extends Subject {
  /** The answer that stands. */
  current: string | null;
  answer: (answer: Answer) => void;
  writeNote: () => void;
}

/** Answers to an invitation, and a note that goes with them. */
export const ANSWERING: Action<InvitationSubject>[] = [
  {
    id: "accept",
    label: (_, place) => place === "palette" ? "Accept the invitation" : "Yes",
    title: "Accept the invitation",
    icon: "check",
    keys: ["y"],
    places: ["invitation"],
    isOn: ({ current }) => current === "accepted",
    run: ({ answer }) => answer("accepted"),
  },
  {
    id: "acceptTentatively",
    label: (_, place) => place === "palette" ? "Answer the invitation with maybe" : "Maybe",
    title: "Answer the invitation with maybe",
    icon: "help",
    keys: ["t"],
    places: ["invitation"],
    isOn: ({ current }) => current === "tentative",
    run: ({ answer }) => answer("tentative"),
  },
  {
    id: "decline",
    label: (_, place) => place === "palette" ? "Decline the invitation" : "No",
    title: "Decline the invitation",
    icon: "close",
    keys: ["d"],
    places: ["invitation"],
    isOn: ({ current }) => current === "declined",
    run: ({ answer }) => answer("declined"),
  },
  {
    id: "answerNote",
    label: "Add a note to the answer",
    icon: "compose",
    keys: ["w"],
    opensField: true,
    places: ["invitationNote"],
    run: ({ writeNote }) => writeNote(),
  },
];
