import {
  type EditorState,
  Fragment,
  type Mark,
  type Node,
  TextSelection,
  type Transaction,
} from "./prosemirror.ts";
import { schema } from "./schema.ts";

const { link, code } = schema.marks;

const ADDRESS =
  /((?:https?:\/\/|www\.)[^\s<>"'\ufffc]+|[\w.%+-]+@(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,})/i;
/** A sentence's own sign after an address is no part of it. */
const AFTER = /[.,;:!?'"…]+$/;

/** An address in text, and where it leads. */
export function addressIn(word: string): { text: string; href: string } | null {
  let text = ADDRESS.exec(word)?.[0].replace(AFTER, "") ?? "";
  // A bracket belongs to it if it was opened in it.
  while (text.endsWith(")") && text.split("(").length < text.split(")").length) text = text.slice(0, -1);
  if (!text) return null;
  if (/^www\./i.test(text)) return /\..+\./.test(text) ? { text, href: `https://${text}` } : null;
  return { text, href: /^https?:/i.test(text) ? text : `mailto:${text}` };
}

interface Linked {
  from: number;
  to: number;
  mark: Mark;
}

/**
 * The address before the caret that is no link yet, and the link that it should be.
 *
 * - Parameter isWhole: the caret may be within it.
 */
export function linkBefore(state: EditorState, isWhole = false): Linked | null {
  const { selection } = state;
  const $cursor = selection instanceof TextSelection ? selection.$cursor : null;
  if (!$cursor || $cursor.parent.type.spec.code || code.isInSet($cursor.marks())) return null;
  const before = $cursor.parent.textBetween(
    Math.max(0, $cursor.parentOffset - 500),
    $cursor.parentOffset,
    null,
    "\ufffc",
  );
  const start = /\S*$/.exec(before)?.[0] ?? "";
  const after = $cursor.parent.textBetween($cursor.parentOffset, $cursor.parent.content.size, null, "\ufffc");
  const word = start + (isWhole ? /^\S*/.exec(after)?.[0] ?? "" : "");
  const address = addressIn(word);
  if (!address) return null;
  const from = $cursor.pos - start.length + word.indexOf(address.text);
  const to = from + address.text.length;
  if (state.doc.rangeHasMark(from, to, link)) return null;
  return { from, to, mark: link.create({ href: address.href }) };
}

/** The same content with its addresses as links. */
export function linked(content: Fragment): Fragment {
  const nodes: Node[] = [];
  content.forEach((node) => {
    if (node.type.spec.code) nodes.push(node);
    else if (node.isText) nodes.push(...linkedText(node));
    else nodes.push(node.copy(linked(node.content)));
  });
  return Fragment.fromArray(nodes);
}

function linkedText(node: Node): Node[] {
  const text = node.text ?? "";
  const address = link.isInSet(node.marks) || code.isInSet(node.marks) ? null : addressIn(text);
  if (!address) return [node];
  const at = text.indexOf(address.text);
  const end = at + address.text.length;
  const parts = at > 0 ? [node.cut(0, at)] : [];
  parts.push(node.cut(at, end).mark([link.create({ href: address.href }), ...node.marks]));
  return end < text.length ? [...parts, ...linkedText(node.cut(end))] : parts;
}

/** The link around the caret or at the selection's start, as far as it reaches. */
export function linkAt(state: EditorState): Linked | null {
  const { $from } = state.selection;
  const after = $from.nodeAfter && link.isInSet($from.nodeAfter.marks);
  const mark = after ?? link.isInSet($from.marks());
  if (!mark) return null;
  let [from, to] = [$from.pos, $from.pos];
  $from.parent.forEach((child, offset) => {
    if (!child.marks.some((one) => one.eq(mark))) return;
    const start = $from.start() + offset;
    const end = start + child.nodeSize;
    // Its words may look different, and then are several texts in a row.
    if (start <= to && end >= from) [from, to] = [Math.min(from, start), Math.max(to, end)];
  });
  return from === to ? null : { from, to, mark };
}

/** Puts a link in place of the selection or of the link at the caret; without an address, only its words stay. */
export function setLink(state: EditorState, text: string, href: string): Transaction {
  const { from, to } = linkAt(state) ?? state.selection;
  const { tr } = state;
  const isSame = from < to && state.doc.textBetween(from, to, " ") === text;
  tr.removeMark(from, to, link);
  if (!href) return tr;
  if (isSame) return tr.addMark(from, to, link.create({ href })).removeStoredMark(link);
  const marks = state.storedMarks ?? state.doc.resolve(from).marks();
  const words = schema.text(text, [link.create({ href }), ...marks.filter((mark) => mark.type !== link)]);
  tr.replaceWith(from, to, words);
  return tr.setSelection(TextSelection.create(tr.doc, from + text.length)).removeStoredMark(link)
    .scrollIntoView();
}
