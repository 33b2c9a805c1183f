import { linkBefore } from "./links.ts";
import {
  closeHistory,
  type EditorState,
  type EditorView,
  findWrapping,
  type MarkType,
  type NodeType,
  Plugin,
  TextSelection,
  type Transaction,
  wrapRangeInList,
} from "./prosemirror.ts";
import { schema } from "./schema.ts";

const { nodes, marks } = schema;

/** What typed signs become. `apply` gets the place of the match; null: nothing. */
interface Rule {
  match: RegExp;
  apply: (state: EditorState, match: RegExpExecArray, start: number, end: number) => Transaction | null;
}

/** Words between two signs, as `**so**`. */
function around(sign: string, type: MarkType): Rule {
  const [one = ""] = sign;
  const mark = sign.replace(/[*~`]/g, "\\$&");
  const other = one.replace(/[*`]/g, "\\$&");
  return {
    match: new RegExp(`(?:^|[\\s(“"\ufffc])(${mark}([^\\s${other}](?:[^${other}]*[^\\s${other}])?)${mark})$`),
    apply(state, [, whole = "", words = ""], _, end) {
      const start = end - whole.length;
      const tr = state.tr.delete(end - sign.length, end).delete(start, start + sign.length);
      return tr.addMark(start, start + words.length, type.create()).removeStoredMark(type);
    },
  };
}

/** Signs at the beginning of a line. */
function atStart(
  match: RegExp,
  change: (tr: Transaction, pos: number, match: RegExpExecArray) => boolean,
): Rule {
  return {
    match,
    apply(state, found, start, end) {
      if (state.doc.resolve(start).parent.type !== nodes.paragraph) return null;
      const tr = state.tr.delete(start, end);
      return change(tr, start, found) ? tr : null;
    },
  };
}

function list(type: NodeType) {
  return (tr: Transaction, pos: number, [, number]: RegExpExecArray): boolean => {
    const range = tr.doc.resolve(pos).blockRange();
    return range !== null && wrapRangeInList(tr, range, type, number ? { start: Number(number) } : null);
  };
}

function quote(tr: Transaction, pos: number): boolean {
  const range = tr.doc.resolve(pos).blockRange();
  const wrapping = range && findWrapping(range, nodes.blockquote);
  if (wrapping) tr.wrap(range, wrapping);
  return Boolean(wrapping);
}

function heading(tr: Transaction, pos: number, [, signs = ""]: RegExpExecArray): boolean {
  tr.setBlockType(pos, pos, nodes.heading, { level: signs.length });
  return true;
}

function preformatted(tr: Transaction, pos: number): boolean {
  tr.setBlockType(pos, pos, nodes.code_block);
  return true;
}

const RULES: Rule[] = [
  around("**", marks.bold),
  around("__", marks.bold),
  around("*", marks.italic),
  around("_", marks.italic),
  around("~~", marks.strike),
  around("`", marks.code),
  atStart(/^[-+*] $/, list(nodes.bullet_list)),
  atStart(/^(\d{1,3})[.)] $/, list(nodes.ordered_list)),
  atStart(/^> $/, quote),
  atStart(/^(#{1,3}) $/, heading),
  atStart(/^``` $/, preformatted),
];

function apply(view: EditorView, from: number, to: number, text: string): boolean {
  const { state } = view;
  const $from = state.doc.resolve(from);
  if (view.composing || $from.parent.type.spec.code || marks.code.isInSet($from.marks())) return false;
  const before = $from.parent.textBetween(
    Math.max(0, $from.parentOffset - 500),
    $from.parentOffset,
    null,
    "\ufffc",
  );
  for (const { match, apply } of RULES) {
    const found = match.exec(before + text);
    if (!found) continue;
    const typed = state.tr.insertText(text, from, to);
    const end = from + text.length;
    const change = apply(state.apply(typed), found, end - found[0].length, end);
    if (!change) continue;
    // The signs first, by themselves, so that “undo” brings them back.
    view.dispatch(typed);
    view.dispatch(closeHistory(change.scrollIntoView()));
    return true;
  }
  return false;
}

/** The address before the caret becomes a link, once it is complete. */
function link(view: EditorView, typed?: Transaction): boolean {
  const found = view.composing ? null : linkBefore(view.state);
  if (!found) return false;
  if (typed) view.dispatch(typed);
  view.dispatch(closeHistory(view.state.tr.addMark(found.from, found.to, found.mark)));
  return true;
}

/** The last word is complete without a sign after it: an address becomes a link. */
export function finish(view: EditorView): void {
  const found = view.composing ? null : linkBefore(view.state, true);
  if (found) view.dispatch(closeHistory(view.state.tr.addMark(found.from, found.to, found.mark)));
}

/** Typed Markdown becomes what it means, and typed addresses become links. */
export function typing(): Plugin {
  return new Plugin({
    props: {
      handleTextInput(view, from, to, text) {
        if (text === " " && link(view, view.state.tr.insertText(text, from, to))) return true;
        return apply(view, from, to, text);
      },
      handleKeyDown(view, event) {
        if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return false;
        link(view);
        return event.shiftKey ? false : enter(view);
      },
      handleDOMEvents: {
        compositionend(view) {
          setTimeout(() => {
            const { selection } = view.state;
            const at = selection instanceof TextSelection ? selection.$cursor?.pos : undefined;
            if (at !== undefined && !view.isDestroyed) apply(view, at, at, "");
          });
        },
      },
    },
  });
}

/** Three signs alone on a line, and Enter. */
function enter({ state, dispatch }: EditorView): boolean {
  const { $from, empty } = state.selection;
  if (!empty || $from.parent.type !== nodes.paragraph) return false;
  const text = $from.parent.textContent;
  const [from, to] = [$from.before(), $from.after()];
  if (text === "```") {
    const tr = state.tr.delete(from + 1, to - 1);
    dispatch(closeHistory(tr.setBlockType(from + 1, from + 1, nodes.code_block)).scrollIntoView());
    return true;
  }
  if (text !== "---" && text !== "***") return false;
  const tr = state.tr.replaceWith(from, to, [nodes.horizontal_rule.create(), nodes.paragraph.create()]);
  dispatch(closeHistory(tr.setSelection(TextSelection.create(tr.doc, from + 2))).scrollIntoView());
  return true;
}
