import {
  chainCommands,
  type Command,
  lift,
  liftListItem,
  liftTarget,
  NodeSelection,
  type NodeType,
  redo,
  type ResolvedPos,
  setBlockType,
  sinkListItem,
  TextSelection,
  toggleMark,
  type Transaction,
  undo,
  wrapIn,
  wrapInList,
} from "./prosemirror.ts";
import { resize } from "./resize.ts";
import { schema } from "./schema.ts";
import type { Format } from "./types.ts";

const { nodes, marks } = schema;

/** How deep the nearest node of a type is around a position; 0 if there is none. */
export function depthOf($pos: ResolvedPos, is: (type: NodeType) => boolean): number {
  for (let depth = $pos.depth; depth > 0; depth -= 1) if (is($pos.node(depth).type)) return depth;
  return 0;
}

export const isList = (type: NodeType) => type === nodes.bullet_list || type === nodes.ordered_list;

/** Makes a list, ends it, or makes it one of the other kind. */
function list(type: NodeType): Command {
  return (state, dispatch, view) => {
    const { $from } = state.selection;
    const depth = depthOf($from, isList);
    if (!depth) return wrapInList(type)(state, dispatch, view);
    if ($from.node(depth).type === type) return liftListItem(nodes.list_item)(state, dispatch, view);
    dispatch?.(state.tr.setNodeMarkup($from.before(depth), type).scrollIntoView());
    return true;
  };
}

/** Quotes what is selected, or takes it out of its quote. */
const quote: Command = (state, dispatch, view) => {
  const { $from, $to } = state.selection;
  // Out of the quote, and not only out of a list that is in it.
  const range = $from.blockRange($to, ({ type }) => type === nodes.blockquote);
  if (!range) return wrapIn(nodes.blockquote)(state, dispatch, view);
  const target = liftTarget(range);
  if (target === null) return false;
  dispatch?.(state.tr.lift(range, target).scrollIntoView());
  return true;
};

function block(type: NodeType, attrs: { level: number } | null = null): Command {
  return (state, dispatch, view) => {
    const { parent } = state.selection.$from;
    const isSo = parent.type === type && parent.attrs.level === attrs?.level;
    return setBlockType(isSo ? nodes.paragraph : type, isSo ? null : attrs)(state, dispatch, view);
  };
}

/** Plain words in plain paragraphs; links and images stay. */
const clear: Command = (state, dispatch) => {
  const { from, to } = state.selection;
  const tr = state.tr;
  for (const type of Object.values(marks)) {
    if (type === marks.link) continue;
    tr.removeMark(from, to, type);
    tr.removeStoredMark(type);
  }
  tr.doc.nodesBetween(from, to, (node, pos) => {
    if (node.type === nodes.heading || node.type === nodes.code_block) {
      tr.setBlockType(pos, pos + node.nodeSize, nodes.paragraph);
    }
  });
  dispatch?.(tr.scrollIntoView());
  return true;
};

const rule: Command = (state, dispatch) => {
  const { $from, $to } = state.selection;
  if ($from.depth !== 1 && !$from.node(-1).type.spec.content?.includes("block")) return false;
  const { tr } = state;
  // On an empty line it takes the place of the line; a line to write on follows it.
  const from = $from.parent.content.size === 0 ? $from.before() : $to.after();
  const to = $from.parent.content.size === 0 ? $from.after() : from;
  tr.replaceWith(from, to, [nodes.horizontal_rule.create(), nodes.paragraph.create()]);
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, from + 2)).scrollIntoView());
  return true;
};

/**
 * An answer between the paragraphs of the original: the quote is split, and a line to write on stands between
 * its parts.
 */
export const answer: Command = (state, dispatch) => {
  const { selection } = state;
  if (selection instanceof NodeSelection) return false;
  const outermost = outermostQuote(selection.$from);
  if (!outermost || selection.$to.pos > selection.$from.end(outermost)) return false;
  const tr = state.tr.deleteSelection();
  const $at = tr.doc.resolve(selection.from);
  if (depthOf($at, (type) => Boolean(type.spec.isolating))) return false;
  if (!dispatch) return true;
  const pos = part(tr, $at, outermost);
  tr.insert(pos, nodes.paragraph.create());
  dispatch(tr.setSelection(TextSelection.create(tr.doc, pos + 1)).scrollIntoView());
  return true;
};

/** Splits a node at a position in it, but leaves no empty paragraph; returns the place between its parts. */
function part(tr: Transaction, $at: ResolvedPos, outermost: number): number {
  let [pos, depth] = [$at.pos, $at.depth];
  const isEnd = pos === $at.end(depth) && $at.parent.content.size > 0;
  while (depth >= outermost && pos === (isEnd ? $at.end(depth) : $at.start(depth))) {
    pos = isEnd ? $at.after(depth) : $at.before(depth);
    depth -= 1;
  }
  const levels = depth - outermost + 1;
  if (levels === 0) return pos;
  tr.split(pos, levels);
  return pos + levels;
}

function outermostQuote($pos: ResolvedPos): number {
  for (let depth = 1; depth <= $pos.depth; depth += 1) {
    const { type, attrs } = $pos.node(depth);
    if (type === nodes.blockquote && attrs.isCited) return depth;
  }
  return 0;
}

/** What each button and key of the toolbar does. */
export const COMMANDS: Record<Format, Command> = {
  bold: toggleMark(marks.bold),
  italic: toggleMark(marks.italic),
  underline: toggleMark(marks.underline),
  strike: toggleMark(marks.strike),
  code: toggleMark(marks.code),
  bullets: list(nodes.bullet_list),
  numbers: list(nodes.ordered_list),
  indent: chainCommands(sinkListItem(nodes.list_item), wrapInQuoteOutsideLists),
  outdent: chainCommands(liftListItem(nodes.list_item), lift),
  quote,
  paragraph: setBlockType(nodes.paragraph),
  heading1: block(nodes.heading, { level: 1 }),
  heading2: block(nodes.heading, { level: 2 }),
  heading3: block(nodes.heading, { level: 3 }),
  preformatted: block(nodes.code_block),
  rule,
  clear,
  undo,
  redo,
  larger: resize(1.1),
  smaller: resize(1 / 1.1),
  actualSize: resize(null),
};

/** Mail has no other indentation than a quote's. */
function wrapInQuoteOutsideLists(...[state, dispatch, view]: Parameters<Command>): boolean {
  if (depthOf(state.selection.$from, isList)) return false;
  return wrapIn(nodes.blockquote)(state, dispatch, view);
}
