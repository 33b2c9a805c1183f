import type { Format, Look } from "./editor/types.ts";

/** What the rest of the composer does with the text. */
export interface BodyTools {
  /** Puts the caret at the beginning, or after so many characters of it. */
  focusStart(after: number): void;
  focus(): void;
  format(what: Format): void;
  look(what: Look, value: string | null): void;
  link(): void;
  /** Asks for the selected image's description. */
  describe(): void;
  insertImages(files: File[]): void;
  /** Inserts formatted text at the caret. */
  insertHTML(html: string): void;
  /** Inserts a suggested reply above the quote. */
  insertReply(text: string): void;
}
