import { answer, COMMANDS, depthOf } from "./commands.ts";
import {
  chainCommands,
  type Command,
  createParagraphNear,
  deleteSelection,
  type EditorView,
  exitCode,
  joinBackward,
  joinForward,
  keymap,
  liftEmptyBlock,
  liftListItem,
  newlineInCode,
  NodeSelection,
  type NodeType,
  Plugin,
  selectAll,
  Selection,
  selectNodeBackward,
  selectNodeForward,
  sinkListItem,
  splitBlockKeepMarks,
  splitListItemKeepMarks,
} from "./prosemirror.ts";
import { schema } from "./schema.ts";

const { nodes } = schema;

const breakLine: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create(), true).scrollIntoView());
  return true;
};

/** A sign that does something to the selected image, and is written anywhere else. */
const onImage = (command: Command): Command => (state, dispatch, view) => {
  const { selection } = state;
  const isImage = selection instanceof NodeSelection && selection.node.type === nodes.image;
  return isImage && command(state, dispatch, view);
};

const backspace = chainCommands(deleteSelection, joinBackward, selectNodeBackward);
const forward = chainCommands(deleteSelection, joinForward, selectNodeForward);

/** To the cell after or before the one with the caret; out of the table at its end. */
const nextCell = (step: 1 | -1): Command => (state, dispatch) => {
  const { $from } = state.selection;
  const isCell = ({ name }: NodeType) => name === "table_cell" || name === "table_header";
  const depth = depthOf($from, isCell);
  const table = depth && depthOf($from, ({ name }) => name === "table");
  if (!depth || !table) return false;
  const cells: number[] = [];
  const start = $from.start(table);
  $from.node(table).descendants((node, at) => {
    if (isCell(node.type)) cells.push(start + at);
  });
  const next = cells[cells.indexOf($from.before(depth)) + step];
  if (next === undefined) return false;
  dispatch?.(state.tr.setSelection(Selection.near(state.doc.resolve(next + 1))).scrollIntoView());
  return true;
};

/** Keys of the text itself. Those that the page lists, such as that for bold, are the page's. */
const KEYS = keymap({
  Enter: chainCommands(
    answer,
    splitListItemKeepMarks(nodes.list_item),
    newlineInCode,
    createParagraphNear,
    liftEmptyBlock,
    splitBlockKeepMarks,
  ),
  "Shift-Enter": chainCommands(exitCode, breakLine),
  // Where they can do nothing for the text, the focus moves on.
  Tab: chainCommands(sinkListItem(nodes.list_item), nextCell(1)),
  "Shift-Tab": chainCommands(liftListItem(nodes.list_item), nextCell(-1)),
  Backspace: backspace,
  "Mod-Backspace": backspace,
  "Shift-Backspace": backspace,
  Delete: forward,
  "Mod-Delete": forward,
  "Mod-a": selectAll,
  "Mod-z": COMMANDS.undo,
  "Mod-y": COMMANDS.redo,
  "Mod-Shift-z": COMMANDS.redo,
  "+": onImage(COMMANDS.larger),
  "-": onImage(COMMANDS.smaller),
  "0": onImage(COMMANDS.actualSize),
});

/** Keys that the page handles: ProseMirror would keep them from it. */
function isPages({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === "Escape" || ((ctrlKey || metaKey) && /^(enter|b|i)$/i.test(key));
}

/**
 * The browser reports a moved caret with an event of its own, which can come after the next key: on a busy computer, Tab
 * after a click would act where the caret was before.
 */
function catchUp({ dom }: EditorView): void {
  dom.ownerDocument.dispatchEvent(new Event("selectionchange"));
}

export function keys(): Plugin[] {
  const left = new Plugin({
    props: {
      handleDOMEvents: {
        keydown: (view, event: KeyboardEvent) => {
          if (view.composing) return false;
          catchUp(view);
          return isPages(event);
        },
        // A link in a message that is being written is text: a click must not open it.
        click: (_, event: MouseEvent) => {
          if ((event.target as Element).closest?.("a")) event.preventDefault();
          return false;
        },
        auxclick: (_, event: MouseEvent) => {
          if ((event.target as Element).closest?.("a")) event.preventDefault();
          return false;
        },
      },
    },
  });
  return [left, KEYS];
}
