/** The only door to ProseMirror: what is used of it, with the types that its packages lack. */

// @ts-types="./prosemirror.d.ts"
export {
  DOMParser,
  DOMSerializer,
  Fragment,
  Mark,
  MarkType,
  Node,
  NodeType,
  ResolvedPos,
  Schema,
  Slice,
} from "prosemirror-model";
// @ts-types="./prosemirror.d.ts"
export { EditorState, NodeSelection, Plugin, Selection, TextSelection, Transaction } from "prosemirror-state";
// @ts-types="./prosemirror.d.ts"
export { EditorView } from "prosemirror-view";
// @ts-types="./prosemirror.d.ts"
export { findWrapping, liftTarget } from "prosemirror-transform";
// @ts-types="./prosemirror.d.ts"
export { keymap } from "prosemirror-keymap";
// @ts-types="./prosemirror.d.ts"
export { closeHistory, history, redo, undo } from "prosemirror-history";
// @ts-types="./prosemirror.d.ts"
export { gapCursor } from "prosemirror-gapcursor";
// @ts-types="./prosemirror.d.ts"
export { dropCursor } from "prosemirror-dropcursor";
// @ts-types="./prosemirror.d.ts"
export {
  liftListItem,
  sinkListItem,
  splitListItemKeepMarks,
  wrapInList,
  wrapRangeInList,
} from "prosemirror-schema-list";
// @ts-types="./prosemirror.d.ts"
export {
  chainCommands,
  createParagraphNear,
  deleteSelection,
  exitCode,
  joinBackward,
  joinForward,
  lift,
  liftEmptyBlock,
  newlineInCode,
  selectAll,
  selectNodeBackward,
  selectNodeForward,
  setBlockType,
  splitBlockKeepMarks,
  toggleMark,
  wrapIn,
} from "prosemirror-commands";
export type {
  Attrs,
  Command,
  Dispatch,
  EditorProps,
  MarkSpec,
  NodeSpec,
  NodeView,
  ParseRule,
} from "./prosemirror.d.ts";
