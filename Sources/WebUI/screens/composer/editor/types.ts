/** What the page and the editor agree on. The editor is a bundle of its own and imports nothing of the page. */

import type { Format, FormatState, Look } from "../../../actions/format.ts";

export type { Format, FormatState, Look };

export interface EditorOptions {
  html: string;
  /** The name of the text field. */
  label: string;
  changed: () => void;
  selected: (state: FormatState) => void;
  /** Takes an image along with the message; returns its content id. Null: images are part of the HTML. */
  addImage: ((file: File) => string) | null;
  /** Where an image of the message is shown from, or null if it is not there. */
  imageURL: (cid: string) => string | null;
  /** Attaches files that are not images. */
  addFiles: (files: File[]) => void;
  /** Whether the original may lose its layout, so that it can be edited. */
  maySimplify: () => Promise<boolean>;
  /** Images on other computers were pasted, and left out. */
  leftOut: () => void;
}

export interface Editor {
  readonly html: string;
  readonly isEmpty: boolean;
  /** Whether plain text would be less than what is there now. */
  readonly isFormatted: boolean;
  format(what: Format): void;
  look(what: Look, value: string | null): void;
  /** The link around the caret, or the selected text for a new one. */
  link(): { text: string; url: string };
  /** An empty address removes the link. */
  setLink(text: string, url: string): void;
  describe(alt: string): void;
  insertImages(files: File[]): void;
  /** Above everything that was written or quoted. */
  insertAtStart(text: string): void;
  /** What the user wrote, without signature and original. */
  readonly ownHTML: string;
  /** At the caret. */
  insertHTML(html: string): void;
  /** In the place of the one that is there, unless that is not as it was inserted; empty for none. */
  setSignature(html: string, inserted: string): void;
  /** Removes an image from the text. */
  removeImage(cid: string): void;
  /** What was typed last is complete: an address becomes a link. */
  finish(): void;
  focus(): void;
  /** Puts the caret at the beginning, or after so many characters of it. */
  focusStart(after: number): void;
  destroy(): void;
}

/** What the editor's bundle can do. */
export interface EditorBundle {
  openEditor: OpenEditor;
  /** The words of HTML. */
  textOf: (html: string) => string;
}

export type OpenEditor = (place: HTMLElement, options: EditorOptions) => Editor;
