import type { Action, Place, Subject } from "./action.ts";
import type { Format, FormatState } from "./format.ts";
import type { IconName } from "../ui/Icon.tsx";

/** Text that can be formatted. */
export interface FormattingSubject extends Subject {
  /** It is plain text, by choice. */
  isPlain: boolean;
  /** What the selection is like. */
  look: FormatState | null;
  format: (what: Format) => void;
  link: () => void;
  insertImage: () => void;
  describeImage: () => void;
}

interface Formatting {
  keys?: string[];
  icon?: IconName;
  place?: Place;
  applies?: Action<FormattingSubject>["applies"];
}

/** An action on the text. Keys do nothing where it does not apply. */
function formatting(what: Format, label: string, { keys, icon, place, applies }: Formatting) {
  const isPossible = applies ?? (({ isPlain }: FormattingSubject) => !isPlain);
  const action: Action<FormattingSubject> = {
    id: what,
    label,
    ...(icon ? { icon } : {}),
    ...(keys ? { keys } : {}),
    places: [place ?? "format"],
    applies: isPossible,
    run: (subject) => {
      if (!isPossible(subject, "format")) return false;
      subject.format(what);
    },
  };
  const isSwitch = !/^(indent|outdent|rule|clear|undo|redo|larger|smaller|actualSize)$/.test(what);
  return isSwitch
    ? { ...action, isOn: ({ look }: FormattingSubject) => look?.on.includes(what) ?? false }
    : action;
}

const onImage = ({ look }: FormattingSubject) => look !== null && look.image !== null;

/** Everything that can be done to formatted text. */
export const FORMATTING: Action<FormattingSubject>[] = [
  formatting("bold", "Bold", { keys: ["Mod+B"], icon: "bold" }),
  formatting("italic", "Italic", { keys: ["Mod+I"], icon: "italic" }),
  formatting("underline", "Underline", { keys: ["Mod+U"], icon: "underline" }),
  {
    id: "link",
    label: "Link",
    icon: "link",
    keys: ["Mod+K"],
    places: ["format"],
    applies: ({ isPlain }) => !isPlain,
    isOn: ({ look }) => look?.isLink ?? false,
    run: ({ isPlain, link }) => isPlain ? false : link(),
  },
  formatting("bullets", "Bulleted list", { keys: ["Mod+*"], icon: "bullets" }),
  formatting("numbers", "Numbered list", { keys: ["Mod+&"], icon: "numbers" }),
  formatting("quote", "Quote", { keys: ["Mod+("], icon: "quote" }),
  {
    id: "insertImage",
    label: "Insert image",
    icon: "image",
    places: ["format"],
    applies: ({ isPlain }) => !isPlain,
    run: ({ insertImage }) => insertImage(),
  },
  formatting("paragraph", "Paragraph", { place: "textStyle" }),
  formatting("heading1", "Heading 1", { place: "textStyle" }),
  formatting("heading2", "Heading 2", { place: "textStyle" }),
  formatting("heading3", "Heading 3", { place: "textStyle" }),
  formatting("preformatted", "Preformatted", { place: "textStyle" }),
  formatting("strike", "Strikethrough", { keys: ["Mod+Shift+X"], icon: "strike", place: "formatMenu" }),
  formatting("code", "Code", { icon: "code", place: "formatMenu" }),
  formatting("indent", "More indent", { keys: ["Mod+]"], icon: "indent", place: "formatMenu" }),
  formatting("outdent", "Less indent", { keys: ["Mod+["], icon: "outdent", place: "formatMenu" }),
  formatting("rule", "Insert line", { icon: "minus", place: "formatMenu" }),
  formatting("clear", "Remove formatting", { keys: ["Mod+\\"], icon: "clear", place: "formatMenu" }),
  formatting("undo", "Undo typing", { icon: "undo", place: "formatMore" }),
  formatting("redo", "Redo typing", { icon: "redo", place: "formatMore" }),
  formatting("smaller", "Smaller image", { icon: "minus", place: "formatImage", applies: onImage }),
  formatting("larger", "Larger image", { icon: "plus", place: "formatImage", applies: onImage }),
  formatting("actualSize", "Original image size", { icon: "refresh", place: "formatMenu", applies: onImage }),
  {
    id: "describeImage",
    label: "Image description",
    icon: "info",
    places: ["formatImage"],
    applies: onImage,
    run: ({ describeImage }) => describeImage(),
  },
];
