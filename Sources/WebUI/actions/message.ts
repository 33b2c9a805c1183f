import type { Action, Subject } from "./action.ts";
import { READING, STAR_MESSAGE } from "./marking.ts";
import { RULING } from "./ruling.ts";

/** A message that can be answered. */
export interface WritingSubject extends Subject {
  /** Begins an answer to it. */
  write: (mode: "reply" | "replyAll" | "forward" | "forwardAsAttachment") => void;
}

/** One message of an open conversation: it is the only target. */
export interface MessageSubject extends WritingSubject {
  /** What else it can be looked at as; null where it is not open. */
  looks: MessageLooks | null;
  /** Leaves its mailing list; null if it is of none, or that was done. */
  unsubscribe: (() => void) | null;
  /** Saves it as a file; null as long as it is not loaded. */
  save: (() => void) | null;
  copyLink: () => void;
}

export interface MessageLooks {
  hasDetails: boolean;
  toggleDetails: () => void;
  showSource: () => void;
  print: () => void;
}

/** Answers, which the newest message has buttons and keys for. */
export const WRITING: Action<WritingSubject>[] = [
  {
    id: "reply",
    label: "Reply",
    icon: "reply",
    keys: ["r", "Mod+R"],
    places: ["replyBar", "messageMenu", "rowMenu"],
    run: ({ write }) => write("reply"),
  },
  {
    id: "replyAll",
    label: (_, place) => place === "replyBar" ? "Reply all" : "Reply to all",
    title: "Reply to all",
    icon: "replyAll",
    keys: ["a", "Mod+Shift+R"],
    places: ["replyBar", "messageMenu", "rowMenu"],
    run: ({ write }) => write("replyAll"),
  },
  {
    id: "forward",
    label: "Forward",
    icon: "forward",
    keys: ["f", "Mod+Shift+F"],
    places: ["replyBar", "messageMenu", "rowMenu"],
    run: ({ write }) => write("forward"),
  },
  {
    id: "forwardAsAttachment",
    label: "Forward as attachment",
    icon: "attach",
    places: ["messageMenu"],
    run: ({ write }) => write("forwardAsAttachment"),
  },
];

const isOpen = ({ looks, save }: MessageSubject) => looks !== null && save !== null;

/** Ways to look at an open message, and to keep it. */
export const OPENED: Action<MessageSubject>[] = [
  {
    id: "unsubscribe",
    label: "Unsubscribe",
    title: "Unsubscribe from the mailing list",
    icon: "mute",
    places: ["sender", "messageMenu"],
    applies: ({ unsubscribe }) => unsubscribe !== null,
    run: ({ unsubscribe }) => unsubscribe?.(),
  },
  {
    id: "details",
    label: ({ looks }) => looks?.hasDetails ? "Hide details" : "Show details",
    icon: (subject) => subject.looks?.hasDetails ? "chevronUp" : "chevronDown",
    places: ["addressing", "messageMenu"],
    applies: isOpen,
    run: ({ looks }) => looks?.toggleDetails(),
  },
  {
    id: "source",
    label: "Show source and headers",
    icon: "code",
    places: ["messageMenu"],
    applies: isOpen,
    run: ({ looks }) => looks?.showSource(),
  },
  {
    id: "printMessage",
    label: "Print this message",
    icon: "print",
    places: ["messageMenu"],
    applies: isOpen,
    run: ({ looks }) => looks?.print(),
  },
  {
    id: "save",
    label: "Save as file",
    icon: "download",
    places: ["messageMenu"],
    applies: ({ save }) => save !== null,
    run: ({ save }) => save?.(),
  },
  {
    id: "copyLink",
    label: "Copy link to this message",
    icon: "link",
    places: ["messageMenu"],
    run: ({ copyLink }) => copyLink(),
  },
];

/** Everything that can be done to one message. */
export const MESSAGE: Action<MessageSubject>[] = [...WRITING, STAR_MESSAGE, ...READING, ...RULING, ...OPENED];
