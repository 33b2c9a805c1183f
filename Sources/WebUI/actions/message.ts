import type { Action, Subject } from "./action.ts";
import { READING, STAR_MESSAGE } from "./marking.ts";

/** One message of an open conversation: it is the only target. */
export interface MessageSubject extends Subject {
  /** Begins an answer to it. */
  write: (mode: "reply" | "replyAll" | "forward") => void;
  /** Null where they are not shown. */
  details: { isShown: boolean; toggle: () => void } | null;
  /** Saves it as a file; null as long as it is not loaded. */
  save: (() => void) | null;
}

/** Answers, which the newest message has buttons and keys for. */
export const WRITING: Action<MessageSubject>[] = [
  {
    id: "reply",
    label: "Reply",
    icon: "reply",
    keys: ["r", "Mod+R"],
    places: ["replyBar", "messageMenu"],
    run: ({ write }) => write("reply"),
  },
  {
    id: "replyAll",
    label: (_, place) => place === "replyBar" ? "Reply all" : "Reply to all",
    title: "Reply to all",
    icon: "replyAll",
    keys: ["a", "Mod+Shift+R"],
    places: ["replyBar", "messageMenu"],
    run: ({ write }) => write("replyAll"),
  },
  {
    id: "forward",
    label: "Forward",
    icon: "forward",
    keys: ["f", "Mod+Shift+F"],
    places: ["replyBar", "messageMenu"],
    run: ({ write }) => write("forward"),
  },
];

const LOOKING: Action<MessageSubject>[] = [
  {
    id: "details",
    label: ({ details }) => details?.isShown ? "Hide details" : "Show details",
    icon: "info",
    places: ["messageMenu"],
    applies: ({ details }) => details !== null,
    run: ({ details }) => details?.toggle(),
  },
  {
    id: "save",
    label: "Save as file",
    icon: "download",
    places: ["messageMenu"],
    applies: ({ save }) => save !== null,
    run: ({ save }) => save?.(),
  },
];

/** Everything that can be done to one message. */
export const MESSAGE: Action<MessageSubject>[] = [...WRITING, STAR_MESSAGE, ...READING, ...LOOKING];
