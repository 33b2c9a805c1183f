/** What can be done to the text of a message. */
export type Format =
  | "bold"
  | "italic"
  | "underline"
  | "strike"
  | "code"
  | "bullets"
  | "numbers"
  | "indent"
  | "outdent"
  | "quote"
  | "paragraph"
  | "heading1"
  | "heading2"
  | "heading3"
  | "preformatted"
  | "rule"
  | "clear"
  | "undo"
  | "redo"
  | "larger"
  | "smaller"
  | "actualSize";

/** What can have a value. */
export type Look = "color" | "highlight" | "size";

/** What the selection is like, as a toolbar shows it. */
export interface FormatState {
  on: readonly Format[];
  looks: Readonly<Record<Look, string | null>>;
  isLink: boolean;
  /** The selected image's description; null if no image is selected. */
  image: string | null;
}
