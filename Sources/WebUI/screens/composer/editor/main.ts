import { COMMANDS } from "./commands.ts";
import { coveredEdges } from "./coveredEdges.ts";
import { clipboardSerializer, foldedView, readMessage, SHOWN } from "./fold.ts";
import { imageView } from "./imageView.ts";
import { keys } from "./keys.ts";
import { linkAt, setLink } from "./links.ts";
import { contentOf, insertContent, ownHTML, removeImage, setSignature } from "./parts.ts";
import { insertImages, pasting, taken } from "./paste.ts";
import {
  dropCursor,
  EditorState,
  EditorView,
  gapCursor,
  history,
  NodeSelection,
  Selection,
  TextSelection,
} from "./prosemirror.ts";
import { finish, typing } from "./rules.ts";
import { isEmpty, isFormatted, schema } from "./schema.ts";
import { formatState } from "./state.ts";
import type { Editor, EditorBundle, EditorOptions, Look, OpenEditor } from "./types.ts";
import { writeHTML } from "./write.ts";

const { nodes, marks } = schema;

function stateOf(html: string, options: EditorOptions): EditorState {
  const plugins = [
    pasting(options),
    typing(),
    ...keys(),
    history(),
    gapCursor(),
    dropCursor({ color: false }),
  ];
  return EditorState.create({ doc: readMessage(html), plugins });
}

function viewOf(place: HTMLElement, options: EditorOptions): EditorView {
  let told = "";
  const edges = coveredEdges(place);
  const view: EditorView = new EditorView(place, {
    state: stateOf(options.html, options),
    attributes: {
      class: "body body-rich",
      role: "textbox",
      "aria-multiline": "true",
      "aria-label": options.label,
      spellcheck: "true",
    },
    clipboardSerializer,
    scrollThreshold: edges,
    scrollMargin: edges,
    nodeViews: {
      image: (node, view, getPos) => imageView(node, view, getPos, options.imageURL),
      folded: (node, view, getPos) => foldedView(node, view, getPos, options.maySimplify),
    },
    dispatchTransaction(tr) {
      view.updateState(view.state.apply(tr));
      if (tr.docChanged && !tr.getMeta(SHOWN)) options.changed();
      const state = formatState(view.state);
      const now = JSON.stringify(state);
      if (now !== told) options.selected(state);
      told = now;
    },
  });
  return view;
}

/** Opens an editor in an element of the page. */
export const openEditor: OpenEditor = (place, options) => {
  const view = viewOf(place, options);
  const editor: Editor = {
    get html() {
      return writeHTML(view.state.doc);
    },
    get isEmpty() {
      return isEmpty(view.state.doc);
    },
    get isFormatted() {
      return isFormatted(view.state.doc);
    },
    format: (what) => void COMMANDS[what](view.state, view.dispatch, view),
    look: (what, value) => look(view, what, value),
    link: () => linkOf(view.state),
    setLink: (text, url) => view.dispatch(setLink(view.state, text, url)),
    describe: (alt) => describe(view, alt),
    insertImages: (files) => insertImages(view, files, options.addImage),
    insertAtStart: (text) => insertAtStart(view, text),
    get ownHTML() {
      return ownHTML(view.state.doc);
    },
    insertHTML: (html) => insertContent(view, taken(contentOf(html), options)),
    setSignature: (html, inserted) => setSignature(view, html, inserted),
    removeImage: (cid) => removeImage(view, cid),
    finish: () => finish(view),
    focus: () => view.focus(),
    focusStart(after) {
      view.focus();
      const { doc, tr } = view.state;
      const start = Selection.atStart(doc).from;
      const at = Math.min(start + after, doc.resolve(start).end());
      view.dispatch(tr.setSelection(TextSelection.create(doc, at)));
    },
    destroy: () => view.destroy(),
  };
  return editor;
};

/** The words of HTML, a line for each paragraph. */
export const textOf: EditorBundle["textOf"] = (html) => {
  const doc = nodes.doc.create(null, contentOf(html));
  return doc.textBetween(0, doc.content.size, "\n");
};

function look(view: EditorView, what: Look, value: string | null): void {
  const { tr, selection } = view.state;
  const type = marks[what];
  tr.removeMark(selection.from, selection.to, type).removeStoredMark(type);
  if (value !== null && selection.empty) tr.addStoredMark(type.create({ value }));
  else if (value !== null) tr.addMark(selection.from, selection.to, type.create({ value }));
  view.dispatch(tr);
}

function linkOf(state: EditorState): { text: string; url: string } {
  const link = linkAt(state);
  const { from, to } = link ?? state.selection;
  return { text: state.doc.textBetween(from, to, " "), url: String(link?.mark.attrs.href ?? "") };
}

function describe(view: EditorView, alt: string): void {
  const { tr, selection } = view.state;
  if (!(selection instanceof NodeSelection)) return;
  tr.setNodeMarkup(selection.from, null, { ...selection.node.attrs, alt });
  view.dispatch(tr.setSelection(NodeSelection.create(tr.doc, selection.from)));
}

function insertAtStart(view: EditorView, text: string): void {
  const { tr, doc } = view.state;
  let end = 0;
  // Empty lines at the beginning were left for it, but for the one before what follows.
  doc.forEach((node, offset) => {
    if (offset === end && node.type === nodes.paragraph && node.content.size === 0) end += node.nodeSize;
  });
  const lines = text.split("\n").map((line) => nodes.paragraph.create(null, line ? schema.text(line) : null));
  const rest = end < doc.content.size ? [nodes.paragraph.create()] : [];
  tr.replaceWith(0, end, [...lines, ...rest]);
  const last = lines.reduce((size, line) => size + line.nodeSize, 0) - 1;
  view.dispatch(tr.setSelection(TextSelection.create(tr.doc, last)).scrollIntoView());
  view.focus();
}
