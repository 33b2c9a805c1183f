import { readInert } from "./inert.ts";
import { linked, setLink } from "./links.ts";
import { type EditorView, Fragment, type Node, Plugin, type ResolvedPos, Slice } from "./prosemirror.ts";
import { quiet } from "./quiet.ts";
import { schema } from "./schema.ts";
import type { EditorOptions } from "./types.ts";

const { nodes } = schema;

type Taking = Pick<EditorOptions, "addImage" | "addFiles" | "imageURL" | "leftOut">;

const isPicture = ({ type }: File) => /^image\/(png|jpeg|gif|webp)$/.test(type);

/** Images in the text, where the caret or the pointer is. */
export async function insertImages(
  view: EditorView,
  files: File[],
  addImage: Taking["addImage"],
  at?: number,
): Promise<void> {
  const sources = addImage
    ? files.map((file) => ({ cid: addImage(file) }))
    : await Promise.all(files.map(dataOf));
  const images = sources.map((source, index) =>
    nodes.image.create({ ...source, alt: altOf(files[index]?.name ?? "") })
  );
  const { tr } = view.state;
  if (at !== undefined) tr.insert(at, images);
  else tr.replaceSelection(new Slice(Fragment.fromArray(images), 0, 0));
  view.dispatch(tr.scrollIntoView());
}

/** An image within the HTML. */
function dataOf(file: File): Promise<{ data: string }> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ data: String(reader.result) });
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** A name that a person gave says something; one that a camera or the clipboard gave does not. */
function altOf(name: string): string {
  const words = name.replace(/\.\w+$/, "").replace(/[_-]+/g, " ").trim();
  return /^(image|img|dsc|pxl|screenshot|photo)?[\s\d]*$/i.test(words) ? "" : words;
}

/** What is pasted and dropped: text, cleaned HTML, images and files. */
export function pasting(taking: Taking): Plugin {
  return new Plugin({
    props: {
      transformPastedHTML: quiet,
      transformPasted: (slice) =>
        new Slice(taken(linked(slice.content), taking), slice.openStart, slice.openEnd),
      clipboardTextParser: linesOf,
      handlePaste(view, { clipboardData }, slice) {
        const html = clipboardData?.getData("text/html") ?? "";
        const files = [...clipboardData?.files ?? []];
        if (files.length > 0 && !hasWords(html)) {
          take(view, files, taking);
          return true;
        }
        if (/<img\b[^>]*\ssrc\s*=\s*["']?\s*(https?:|\/\/)/i.test(html)) taking.leftOut();
        return linkSelection(view, clipboardData?.getData("text/plain") ?? "", slice);
      },
      handleDrop(view, event, _, isMoved) {
        const files = [...event.dataTransfer?.files ?? []];
        if (isMoved || !files.some(isPicture)) return false;
        const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos;
        take(view, files, taking, at);
        return true;
      },
    },
  });
}

function take(view: EditorView, files: File[], { addImage, addFiles }: Taking, at?: number): void {
  const others = files.filter((file) => !isPicture(file));
  if (others.length < files.length) insertImages(view, files.filter(isPicture), addImage, at);
  if (others.length > 0) addFiles(others);
}

/** A table from a spreadsheet is there as a picture too; a picture from a web page comes with no words. */
function hasWords(html: string): boolean {
  return html !== "" && readInert(html).textContent?.trim() !== "";
}

/** An address that is pasted over words makes them a link. */
function linkSelection(view: EditorView, text: string, slice: Slice): boolean {
  const { selection, doc } = view.state;
  const { from, to } = selection;
  if (selection.empty || !selection.$from.parent.isTextblock || slice.content.childCount > 1) return false;
  if (!/^https?:\/\/\S+$/i.test(text.trim()) || from >= to || to > selection.$from.end()) return false;
  view.dispatch(setLink(view.state, doc.textBetween(from, to, " "), text.trim()));
  return true;
}

/** Each line of plain text is a paragraph, empty lines too. */
function linesOf(text: string, $context: ResolvedPos): Slice {
  const marks = $context.marks();
  const lines = text.replace(/\s+$/, "").split(/\r\n?|\n/)
    .map((line) => nodes.paragraph.create(null, line ? schema.text(line, marks) : null));
  return new Slice(Fragment.fromArray(lines), 1, 1);
}

/** Takes the images in pasted content along as attachments. Those of another message are not there. */
export function taken(content: Fragment, taking: Pick<Taking, "addImage" | "imageURL">): Fragment {
  const kept: Node[] = [];
  content.forEach((node) => {
    // What only the original may have.
    if (node.type === nodes.remote_image) return;
    if (node.type !== nodes.image) {
      return kept.push(node.isText ? node : node.copy(taken(node.content, taking)));
    }
    const file = fileOf(String(node.attrs.data ?? ""));
    if (file && !taking.addImage) kept.push(node);
    else if (file && taking.addImage) {
      kept.push(
        nodes.image.create({ ...node.attrs, data: null, cid: taking.addImage(file) }, null, node.marks),
      );
    } else if (taking.imageURL(String(node.attrs.cid))) kept.push(node);
  });
  return Fragment.fromArray(kept);
}

function fileOf(data: string): File | null {
  const [, type = "", code = ""] = /^data:(image\/[a-z]+);base64,(.+)$/is.exec(data) ?? [];
  if (!code) return null;
  try {
    const bytes = Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0));
    return new File([bytes], `image.${type.slice(6)}`, { type });
  } catch {
    return null;
  }
}
