import { readInert } from "./inert.ts";
import { FOLDED } from "./nodes.ts";
import { contentOf, FORWARDED } from "./parts.ts";
import {
  DOMParser,
  DOMSerializer,
  type EditorView,
  type Node,
  type NodeView,
  Selection,
} from "./prosemirror.ts";
import { loud } from "./quiet.ts";
import { schema } from "./schema.ts";

/** What a message begins with. The original at its end is folded: it stays as it came until it is shown. */
export function readMessage(html: string): Node {
  const body = readInert(html);
  if (!foldQuote(body)) foldForwarded(body);
  return DOMParser.fromSchema(schema).parse(body);
}

/** Unless there are answers between parts of it. */
function foldQuote(body: HTMLElement): boolean {
  const quotes = [...body.children].filter((one) => one.matches("blockquote[type=cite]"));
  const [quote] = quotes;
  if (!quote || quotes.length > 1 || quote !== lastIn(body)) return false;
  fold([quote]);
  return true;
}

/** All that follows the heading of a forwarded message. */
function foldForwarded(body: HTMLElement): void {
  const at = [...body.children].findIndex(({ textContent }) => textContent?.trim().startsWith(FORWARDED));
  const heading = body.children[at];
  const rest = heading ? [...body.childNodes].slice([...body.childNodes].indexOf(heading) + 1) : [];
  if (rest.some((node) => node.textContent?.trim() || (node as Element).querySelector)) fold(rest);
}

/** Puts an element that stands for them in their place. */
function fold(content: ChildNode[]): void {
  const [first] = content;
  if (!first) return;
  const folded = document.implementation.createHTMLDocument().createElement("div");
  first.before(folded);
  const whole = folded.ownerDocument.createElement("div");
  whole.append(...content);
  folded.setAttribute(FOLDED, loud(whole.innerHTML));
}

/** The last element that is not an empty line. */
function lastIn(body: HTMLElement): Element | null {
  let last = body.lastChild;
  while (last && !last.textContent?.trim() && !(last as Element).querySelector?.("img")) {
    if ((last as Element).matches?.("blockquote")) break;
    last = last.previousSibling;
  }
  return last as Element | null;
}

/** What the editor would simplify: as long as it is folded, it is sent as it came. */
const LAYOUT = /<(table|style)\b|\bbackground(-color|-image)?\s*:|\bbgcolor\s*=/i;

/** The folded original: a button that shows it, or asks before it is made simpler. */
export function foldedView(
  node: Node,
  view: EditorView,
  getPos: () => number | undefined,
  maySimplify: () => Promise<boolean>,
): NodeView {
  const html = String(node.attrs.html);
  const hasLayout = LAYOUT.test(html);
  const dom = document.createElement("div");
  const button = document.createElement("button");
  dom.className = "quote-folded";
  dom.contentEditable = "false";
  button.type = "button";
  button.className = "button button-quiet";
  const what = /^<blockquote/i.test(html) ? "quoted text" : "forwarded message";
  button.textContent = `${hasLayout ? "Edit" : "Show"} ${what}`;
  button.addEventListener("click", async () => {
    if (!hasLayout || await maySimplify()) unfold(view, node, getPos(), hasLayout);
  });
  dom.append(button);
  return { dom, stopEvent: () => true, ignoreMutation: () => true };
}

/** The sign of a transaction that shows what the message has already. */
export const SHOWN = "shown";

function unfold(view: EditorView, node: Node, pos: number | undefined, isEdit: boolean): void {
  if (pos === undefined) return;
  const { selection } = view.state;
  const end = pos + node.nodeSize;
  const tr = view.state.tr.replaceWith(pos, end, contentOf(String(node.attrs.html)));
  // The caret stays where the user was writing.
  if (selection.from >= pos && selection.to <= end) tr.setSelection(Selection.near(tr.doc.resolve(pos)));
  view.dispatch(isEdit ? tr : tr.setMeta(SHOWN, true));
  view.focus();
}

const plain = DOMSerializer.fromSchema(schema);

/** What is copied: a folded quote in full, and colors as they are sent. */
export const clipboardSerializer = new DOMSerializer({
  ...plain.nodes,
  folded: ({ attrs }) => {
    const whole = document.implementation.createHTMLDocument().createElement("div");
    contentOf(String(attrs.html)).forEach((child) =>
      whole.append(clipboardSerializer.serializeNode(child, { document: whole.ownerDocument }))
    );
    return whole;
  },
}, {
  ...plain.marks,
  color: ({ attrs }) => ["span", { style: `color: ${attrs.value}` }, 0],
  highlight: ({ attrs }) => ["span", { style: `background-color: ${attrs.value}` }, 0],
  size: ({ attrs }) => ["span", { style: `font-size: ${attrs.value}` }, 0],
});
