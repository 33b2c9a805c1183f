import { readInert } from "./inert.ts";
import { DOMParser, type EditorView, Fragment, type Node, Selection, Slice } from "./prosemirror.ts";
import { schema } from "./schema.ts";
import { writeHTML } from "./write.ts";

/** Above a forwarded message. */
export const FORWARDED = "---------- Forwarded message ----------";

const types = schema.nodes;

function isOriginal({ type, attrs, textContent }: Node): boolean {
  return type === types.introduction || type === types.folded ||
    (type === types.blockquote && Boolean(attrs.isCited)) || textContent.trim().startsWith(FORWARDED);
}

/** The nodes before the original, and where it begins. */
function ownPart(doc: Node): { own: { node: Node; pos: number }[]; end: number } {
  const own: { node: Node; pos: number }[] = [];
  let end = doc.content.size;
  doc.forEach((node, pos) => {
    if (pos < end && isOriginal(node)) end = pos;
    if (pos < end) own.push({ node, pos });
  });
  return { own, end };
}

/** Reads HTML as what a message can contain. */
export function contentOf(html: string): Fragment {
  return DOMParser.fromSchema(schema).parse(readInert(html)).content;
}

/** What the user wrote, without signature and original, and without images that are files of the message. */
export function ownHTML(doc: Node): string {
  const own = ownPart(doc).own.map(({ node }) => node).filter(({ type }) => type !== types.signature);
  const isEmptyLine = (node?: Node) => node?.type === types.paragraph && node?.content.size === 0;
  while (isEmptyLine(own.at(-1))) own.pop();
  while (isEmptyLine(own[0])) own.shift();
  return writeHTML(types.doc.create(null, withoutFiles(Fragment.fromArray(own))));
}

function withoutFiles(content: Fragment): Fragment {
  const kept: Node[] = [];
  content.forEach((node) => {
    if (node.type === types.image && node.attrs.cid) return;
    kept.push(node.isText ? node : node.copy(withoutFiles(node.content)));
  });
  return Fragment.fromArray(kept);
}

/** What two signatures must have in common: the program may write their lines and images in another way. */
function essence(signature: Node | null): string {
  return (signature ? writeHTML(types.doc.create(null, signature.content)) : "")
    .replace(/<\/?(p|div)>|<br>/g, " ").replace(/<img[^>]*>/g, "<img>").replace(/(&nbsp;|\s)+/g, " ").trim();
}

/** Whether a signature is as it was inserted; null for none. */
export function isAsInserted(signature: Node | null, inserted: Node | null): boolean {
  return essence(signature) === essence(inserted);
}

function signatureOf(html: string): Node | null {
  return html ? types.signature.create(null, contentOf(html)) : null;
}

/** Puts another signature in the place of the one that was inserted, or above the original. One that was edited stays. */
export function setSignature(view: EditorView, html: string, inserted: string): void {
  const { doc, tr } = view.state;
  const { own, end } = ownPart(doc);
  const old = own.find(({ node }) => node.type === types.signature);
  const from = old?.pos ?? end;
  const to = old ? old.pos + old.node.nodeSize : end;
  if (!isAsInserted(old?.node ?? null, signatureOf(inserted))) return;
  const content = signatureOf(html) ?? [];
  if (old || html) view.dispatch(tr.replaceWith(from, to, content));
}

/** Removes an image, wherever it is in the text. */
export function removeImage(view: EditorView, cid: string): void {
  const { doc, tr } = view.state;
  const places: number[] = [];
  doc.descendants(({ type, attrs }, pos) => {
    if (type === types.image && attrs.cid === cid) places.push(pos);
  });
  for (const pos of places.reverse()) tr.delete(pos, pos + 1);
  if (places.length > 0) view.dispatch(tr);
}

/** Content at the caret, whose first and last paragraphs become one with those around it. */
export function insertContent(view: EditorView, content: Fragment): void {
  const isParagraph = (node: Node | null) => Number(node?.type === types.paragraph);
  const slice = new Slice(content, isParagraph(content.firstChild), isParagraph(content.lastChild));
  const { tr, selection } = view.state;
  const line = selection.$from;
  if (selection.empty && line.depth === 1 && line.parent.content.size === 0) {
    tr.replaceWith(line.before(), line.after(), content);
    tr.setSelection(Selection.near(tr.doc.resolve(line.before() + content.size), -1));
  } else tr.replaceSelection(slice);
  view.dispatch(tr.scrollIntoView());
  view.focus();
}
