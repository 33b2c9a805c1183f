import type { Action, Subject } from "./action.ts";

/** Selected conversations, whose messages can be passed on and kept as files. */
export interface SelectionSubject extends Subject {
  /** Begins a message with theirs as files. */
  forward: () => void;
  /** Saves theirs on this computer. */
  save: () => void;
  /** Prints theirs, each conversation on a page of its own. */
  print: () => void;
}

/** More than the loaded conversations would be too much for one message, or for the browser. */
const isEvery = ({ all }: Subject) =>
  all ? "Select fewer conversations for this. Settings can export whole accounts." : null;

/** What selected conversations can be turned into. */
export const KEEPING: Action<SelectionSubject>[] = [
  {
    id: "forwardSelected",
    label: "Forward as attachments",
    icon: "attach",
    places: ["barMenu"],
    problem: (subject) =>
      isEvery(subject) ??
        (new Set(subject.targets.map(({ accountId }) => accountId)).size > 1
          ? "The selected conversations are in different accounts."
          : null),
    run: ({ forward }) => forward(),
  },
  {
    id: "saveSelected",
    label: "Save as files",
    icon: "download",
    places: ["barMenu"],
    problem: isEvery,
    run: ({ save }) => save(),
  },
  {
    id: "printSelected",
    label: "Print",
    icon: "print",
    places: ["barMenu"],
    problem: isEvery,
    run: ({ print }) => print(),
  },
];
