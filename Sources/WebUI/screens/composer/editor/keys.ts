import { answer, COMMANDS } from "./commands.ts";
import {
  chainCommands,
  type Command,
  createParagraphNear,
  deleteSelection,
  exitCode,
  joinBackward,
  joinForward,
  keymap,
  liftEmptyBlock,
  newlineInCode,
  NodeSelection,
  Plugin,
  selectAll,
  selectNodeBackward,
  selectNodeForward,
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

export function keys(): Plugin[] {
  const left = new Plugin({
    props: {
      handleDOMEvents: {
        keydown: (view, event: KeyboardEvent) => !view.composing && isPages(event),
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
