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

/** Puts another signature in the place of the one that the message has, or above the original. */
export function setSignature(view: EditorView, html: string): void {
  const { doc, tr } = view.state;
  const { own, end } = ownPart(doc);
  const old = own.find(({ node }) => node.type === types.signature);
  const from = old?.pos ?? end;
  const to = old ? old.pos + old.node.nodeSize : end;
  const content = html ? [types.signature.create(null, contentOf(html))] : [];
  if (old || html) view.dispatch(tr.replaceWith(from, to, content));
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
