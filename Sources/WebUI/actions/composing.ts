import type { Action, Subject } from "./action.ts";

/** A message that is being written. */
export interface ComposingSubject extends Subject {
  send: () => void;
  save: () => void;
  attach: () => void;
  bold: () => void;
  italic: () => void;
  link: () => void;
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
  { id: "save", label: "Save draft", keys: ["Mod+S"], run: ({ save }) => save() },
  {
    id: "attach",
    label: "Attach files",
    icon: "attach",
    keys: ["Mod+Shift+A"],
    places: ["attach"],
    run: ({ attach }) => attach(),
  },
  {
    id: "bold",
    label: "Bold",
    icon: "bold",
    keys: ["Mod+B"],
    places: ["format"],
    run: ({ bold }) => bold(),
  },
  {
    id: "italic",
    label: "Italic",
    icon: "italic",
    keys: ["Mod+I"],
    places: ["format"],
    run: ({ italic }) => italic(),
  },
  {
    id: "link",
    label: "Link",
    icon: "link",
    keys: ["Mod+K"],
    places: ["format"],
    run: ({ link }) => link(),
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
