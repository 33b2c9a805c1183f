import { Value } from "../../base/observable.ts";
import type { DraftContent } from "../../jmap/compose.ts";
import type { Editor, FormatState, OpenEditor } from "./editor/types.ts";
import { withoutImages } from "./images.ts";
import { loadEditor } from "./loadEditor.ts";
import { escaped } from "./plainText.ts";

/** The text of a message: plain, or formatted, which an editor holds while it is shown. */
export class Content {
  /** Plain text. */
  body = "";
  /** What is formatted. Null: the message is plain text. Undefined: the program knows no other. */
  html: string | null | undefined = undefined;
  /** What the selection is like, for the toolbar. */
  readonly format = new Value<FormatState | null>(null);
  /** Grows when other content takes the place of what an editor shows. */
  version = 0;
  /** Makes editors, once the bundle that can is there. */
  open: OpenEditor | null = null;
  #editor: Editor | null = null;

  get isRich(): boolean {
    return typeof this.html === "string";
  }

  get editor(): Editor | null {
    return this.#editor;
  }

  /** An editor shows it now; what it had is taken over when it goes. */
  set editor(editor: Editor | null) {
    this.#pull();
    this.#editor = editor;
    if (!editor) this.format.value = null;
  }

  /** The newest, formatted. */
  get newest(): string {
    this.#pull();
    return this.html ?? "";
  }

  get isEmpty(): boolean {
    if (!this.isRich) return this.body.trim() === "";
    if (this.#editor) return this.#editor.isEmpty;
    const html = this.html ?? "";
    return !/<(img|hr|table)\b/i.test(html) && html.replace(/<[^>]*>|&nbsp;/g, "").trim() === "";
  }

  /** As a draft keeps it: of what is formatted, the program makes the plain text. */
  get kept(): { body?: string; html?: string | null } {
    if (this.isRich) return { html: this.newest };
    return this.html === null ? { body: this.body, html: null } : { body: this.body };
  }

  /** Waits for the editor, if this is to be formatted. */
  async show({ body, html }: Pick<DraftContent, "body" | "html">): Promise<void> {
    if (typeof html === "string") this.open = (await loadEditor()).openEditor;
    this.body = body;
    this.html = html;
    this.#replaced();
  }

  /** What was typed last is complete. */
  finish(): void {
    this.#editor?.finish();
  }

  removeImage(cid: string): void {
    if (this.#editor) this.#editor.removeImage(cid);
    else if (this.html) this.html = withoutImages(this.html, (one) => one === cid).html;
  }

  /** Other content takes the place of what there is. */
  async put(content: { body: string; html: null } | { html: string }): Promise<void> {
    await this.show({ body: this.body, ...content });
  }

  /** What was typed before anything was shown. */
  begin(text: string): void {
    if (!this.isRich) this.body = text + this.body;
    else this.html = `<p>${escaped(text)}</p>${(this.html ?? "").replace(/^<p>(<br>)?<\/p>/, "")}`;
  }

  /** An editor that is shown has what was there before. */
  #replaced(): void {
    this.#editor = null;
    this.version += 1;
  }

  #pull(): void {
    if (this.#editor && this.isRich) this.html = this.#editor.html;
  }
}
