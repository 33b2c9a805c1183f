import type { Action } from "./action.ts";
import { FORMATTING, type FormattingSubject } from "./formatting.ts";

/** A message that is being written. */
export interface ComposingSubject extends FormattingSubject {
  send: () => void;
  /** Sends it and archives the conversation that it answers; null if it answers none. */
  sendAndArchive: (() => void) | null;
  /** Asks when to send it. */
  sendLater: () => void;
  /** Asks by when there has to be a reply. */
  remind: () => void;
  save: () => void;
  attach: () => void;
  switchFormat: () => void;
  pastePlain: () => void;
  saveTemplate: () => void;
  close: () => void;
  discard: () => void;
}

/** Everything that can be done to a message that is being written. */
export const COMPOSING: Action<ComposingSubject>[] = [
  {
    id: "send",
    label: "Send",
    icon: "send",
    keys: ["Mod+Enter", "Mod+Shift+D"],
    places: ["send"],
    run: ({ send }) => send(),
  },
  {
    id: "sendAndArchive",
    label: "Send and archive",
    icon: "archive",
    keys: ["Mod+Shift+Enter"],
    places: ["sendMore"],
    applies: ({ sendAndArchive }) => sendAndArchive !== null,
    run: ({ sendAndArchive }) => sendAndArchive ? sendAndArchive() : false,
  },
  {
    id: "sendLater",
    label: "Send later",
    icon: "clock",
    places: ["sendMore"],
    run: ({ sendLater }) => sendLater(),
  },
  {
    id: "remindOfMessage",
    label: "Remind me if there is no reply",
    icon: "bell",
    places: ["sendMore"],
    run: ({ remind }) => remind(),
  },
  { id: "save", label: "Save draft", keys: ["Mod+S"], run: ({ save }) => save() },
  {
    id: "attach",
    label: "Attach files",
    icon: "attach",
    keys: ["Mod+Shift+A"],
    places: ["attach"],
    run: ({ attach }) => attach(),
  },
  ...FORMATTING,
  {
    id: "pastePlain",
    label: "Paste as plain text",
    icon: "plainText",
    hint: "Ctrl + Shift + V",
    places: ["formatMenu"],
    applies: ({ isPlain }) => !isPlain,
    run: ({ pastePlain }) => pastePlain(),
  },
  {
    id: "saveTemplate",
    label: "Save as template",
    icon: "download",
    places: ["templates"],
    run: ({ saveTemplate }) => saveTemplate(),
  },
  {
    id: "plainText",
    label: "Plain text",
    icon: "plainText",
    places: ["composerFooter"],
    isOn: ({ isPlain }) => isPlain,
    run: ({ switchFormat }) => switchFormat(),
  },
  {
    id: "close",
    label: "Close",
    title: "Close and keep the draft",
    icon: "close",
    keys: ["Escape", "Mod+W"],
    places: ["composerHeader"],
    run: ({ close }) => close(),
  },
  {
    id: "discard",
    label: "Delete draft",
    icon: "trash",
    places: ["composerFooter"],
    run: ({ discard }) => discard(),
  },
];
