import { depthOf, isList } from "./commands.ts";
import { linkAt } from "./links.ts";
import { type EditorState, type MarkType, NodeSelection } from "./prosemirror.ts";
import { schema } from "./schema.ts";
import type { Format, FormatState } from "./types.ts";

const { nodes, marks } = schema;
const TOGGLES = ["bold", "italic", "underline", "strike", "code"] as const;

/** The mark at the caret, or at the beginning of what is selected. */
function markOf({ selection, storedMarks, doc }: EditorState, type: MarkType) {
  const { $from, from, to, empty } = selection;
  if (empty) return type.isInSet(storedMarks ?? $from.marks());
  if (!doc.rangeHasMark(from, to, type)) return undefined;
  let found = undefined as ReturnType<MarkType["isInSet"]>;
  doc.nodesBetween(from, to, (node) => {
    found ??= type.isInSet(node.marks);
    return !found;
  });
  return found;
}

export function formatState(state: EditorState): FormatState {
  const { selection } = state;
  const { $from } = selection;
  const on: Format[] = TOGGLES.filter((name) => markOf(state, marks[name]));
  const list = depthOf($from, isList);
  if (list) on.push($from.node(list).type === nodes.bullet_list ? "bullets" : "numbers");
  if (depthOf($from, (type) => type === nodes.blockquote)) on.push("quote");
  const { type, attrs } = $from.parent;
  if (type === nodes.paragraph) on.push("paragraph");
  if (type === nodes.heading) on.push(`heading${attrs.level as 1 | 2 | 3}`);
  if (type === nodes.code_block) on.push("preformatted");
  const value = (name: "color" | "highlight" | "size") => {
    return (markOf(state, marks[name])?.attrs.value ?? null) as string | null;
  };
  const image = selection instanceof NodeSelection && selection.node.type === nodes.image
    ? selection.node
    : null;
  return {
    on,
    looks: { color: value("color"), highlight: value("highlight"), size: value("size") },
    isLink: linkAt(state) !== null,
    image: image ? String(image.attrs.alt) : null,
  };
}
