/** The part of ProseMirror that the editor uses; its packages bring no types. */

export type Attrs = { readonly [name: string]: unknown };

export class Fragment {
  readonly size: number;
  readonly childCount: number;
  readonly firstChild: Node | null;
  readonly lastChild: Node | null;
  child(index: number): Node;
  forEach(each: (node: Node, offset: number, index: number) => void): void;
  static from(nodes?: Fragment | Node | readonly Node[] | null): Fragment;
  static fromArray(nodes: readonly Node[]): Fragment;
  static readonly empty: Fragment;
}

export class Slice {
  constructor(content: Fragment, openStart: number, openEnd: number);
  readonly content: Fragment;
  readonly openStart: number;
  readonly openEnd: number;
  readonly size: number;
  static readonly empty: Slice;
}

export class Mark {
  readonly type: MarkType;
  readonly attrs: Attrs;
  eq(other: Mark): boolean;
}

export class MarkType {
  readonly name: string;
  create(attrs?: Attrs | null): Mark;
  isInSet(set: readonly Mark[]): Mark | undefined;
}

export class NodeType {
  readonly name: string;
  readonly spec: NodeSpec;
  readonly isTextblock: boolean;
  create(
    attrs?: Attrs | null,
    content?: Fragment | Node | readonly Node[] | null,
    marks?: readonly Mark[],
  ): Node;
  createAndFill(attrs?: Attrs | null, content?: Fragment | Node | readonly Node[] | null): Node | null;
  allowsMarkType(type: MarkType): boolean;
}

export class Node {
  readonly type: NodeType;
  readonly attrs: Attrs;
  readonly content: Fragment;
  readonly marks: readonly Mark[];
  readonly text?: string;
  readonly nodeSize: number;
  readonly childCount: number;
  readonly textContent: string;
  readonly firstChild: Node | null;
  readonly lastChild: Node | null;
  readonly isText: boolean;
  readonly isTextblock: boolean;
  child(index: number): Node;
  copy(content?: Fragment | null): Node;
  cut(from: number, to?: number): Node;
  mark(marks: readonly Mark[]): Node;
  forEach(each: (node: Node, offset: number, index: number) => void): void;
  descendants(each: (node: Node, pos: number, parent: Node | null) => boolean | void): void;
  nodesBetween(
    from: number,
    to: number,
    each: (node: Node, pos: number, parent: Node | null) => boolean | void,
  ): void;
  textBetween(from: number, to: number, block?: string | null, leaf?: string | null): string;
  rangeHasMark(from: number, to: number, type: MarkType): boolean;
  nodeAt(pos: number): Node | null;
  resolve(pos: number): ResolvedPos;
}

export class NodeRange {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly parent: Node;
}

export class ResolvedPos {
  readonly pos: number;
  readonly depth: number;
  readonly parent: Node;
  readonly parentOffset: number;
  readonly nodeBefore: Node | null;
  readonly nodeAfter: Node | null;
  node(depth?: number): Node;
  index(depth?: number): number;
  start(depth?: number): number;
  end(depth?: number): number;
  before(depth?: number): number;
  after(depth?: number): number;
  marks(): readonly Mark[];
  blockRange(other?: ResolvedPos, accepts?: (node: Node) => boolean): NodeRange | null;
}

type Output = readonly unknown[] | HTMLElement | { dom: HTMLElement; contentDOM?: HTMLElement };

export interface ParseRule {
  tag: string;
  priority?: number;
  consuming?: boolean;
  ignore?: boolean;
  preserveWhitespace?: boolean | "full";
  getAttrs?: (element: HTMLElement) => Attrs | null | false;
}

export interface NodeSpec {
  content?: string;
  marks?: string;
  group?: string;
  inline?: boolean;
  atom?: boolean;
  code?: boolean;
  draggable?: boolean;
  selectable?: boolean;
  defining?: boolean;
  isolating?: boolean;
  attrs?: Record<string, { default?: unknown }>;
  parseDOM?: readonly ParseRule[];
  toDOM?: (node: Node) => Output;
  leafText?: (node: Node) => string;
}

export interface MarkSpec {
  attrs?: Record<string, { default?: unknown }>;
  inclusive?: boolean;
  excludes?: string;
  parseDOM?: readonly ParseRule[];
  toDOM?: (mark: Mark, inline: boolean) => Output;
}

export class Schema<N extends string = string, M extends string = string> {
  constructor(spec: { nodes: Record<N, NodeSpec>; marks: Record<M, MarkSpec> });
  readonly nodes: Record<N, NodeType>;
  readonly marks: Record<M, MarkType>;
  text(text: string, marks?: readonly Mark[]): Node;
  node(type: N, attrs?: Attrs | null, content?: Fragment | Node | readonly Node[] | null): Node;
}

export class DOMParser {
  static fromSchema(schema: Schema): DOMParser;
  parse(dom: globalThis.Node, options?: { preserveWhitespace?: boolean | "full" }): Node;
}

type ToDOM<T> = (one: T, inline: boolean) => Output;

export class DOMSerializer {
  constructor(nodes: Record<string, ToDOM<Node>>, marks: Record<string, ToDOM<Mark>>);
  readonly nodes: Record<string, ToDOM<Node>>;
  readonly marks: Record<string, ToDOM<Mark>>;
  static fromSchema(schema: Schema): DOMSerializer;
  serializeNode(node: Node, options?: { document?: Document }): globalThis.Node;
}

export class Selection {
  readonly from: number;
  readonly to: number;
  readonly empty: boolean;
  readonly $from: ResolvedPos;
  readonly $to: ResolvedPos;
  readonly ranges: readonly { readonly $from: ResolvedPos; readonly $to: ResolvedPos }[];
  static atStart(doc: Node): Selection;
  static atEnd(doc: Node): Selection;
  static near(pos: ResolvedPos, bias?: number): Selection;
}

export class TextSelection extends Selection {
  readonly $cursor: ResolvedPos | null;
  static create(doc: Node, anchor: number, head?: number): TextSelection;
}

export class NodeSelection extends Selection {
  readonly node: Node;
  static create(doc: Node, from: number): NodeSelection;
}

export class Transaction {
  readonly doc: Node;
  readonly docChanged: boolean;
  readonly selection: Selection;
  readonly selectionSet: boolean;
  readonly storedMarksSet: boolean;
  readonly mapping: { map(pos: number, bias?: number): number };
  setSelection(selection: Selection): this;
  setMeta(key: string, value: unknown): this;
  getMeta(key: string): unknown;
  scrollIntoView(): this;
  delete(from: number, to: number): this;
  deleteSelection(): this;
  insert(pos: number, content: Fragment | Node | readonly Node[]): this;
  insertText(text: string, from?: number, to?: number): this;
  replaceWith(from: number, to: number, content: Fragment | Node | readonly Node[]): this;
  replaceSelectionWith(node: Node, inheritMarks?: boolean): this;
  replaceSelection(slice: Slice): this;
  split(pos: number, depth?: number): this;
  lift(range: NodeRange, target: number): this;
  wrap(range: NodeRange, wrappers: readonly { type: NodeType; attrs?: Attrs | null }[]): this;
  addMark(from: number, to: number, mark: Mark): this;
  removeMark(from: number, to: number, mark?: Mark | MarkType | null): this;
  addStoredMark(mark: Mark): this;
  removeStoredMark(mark: Mark | MarkType): this;
  setStoredMarks(marks: readonly Mark[] | null): this;
  setBlockType(from: number, to: number, type: NodeType, attrs?: Attrs | null): this;
  setNodeMarkup(pos: number, type: NodeType | null, attrs?: Attrs | null): this;
}

export class EditorState {
  readonly doc: Node;
  readonly schema: Schema;
  readonly selection: Selection;
  readonly storedMarks: readonly Mark[] | null;
  readonly plugins: readonly Plugin[];
  readonly tr: Transaction;
  apply(tr: Transaction): EditorState;
  static create(
    config: { doc?: Node; schema?: Schema; selection?: Selection; plugins?: readonly Plugin[] },
  ): EditorState;
}

export type Dispatch = (tr: Transaction) => void;
export type Command = (state: EditorState, dispatch?: Dispatch, view?: EditorView) => boolean;

export interface EditorProps {
  handleDOMEvents?: { [name: string]: (view: EditorView, event: never) => boolean | void };
  handleKeyDown?: (view: EditorView, event: KeyboardEvent) => boolean | void;
  handleTextInput?: (view: EditorView, from: number, to: number, text: string) => boolean | void;
  handlePaste?: (view: EditorView, event: ClipboardEvent, slice: Slice) => boolean | void;
  handleDrop?: (view: EditorView, event: DragEvent, slice: Slice, moved: boolean) => boolean | void;
  transformPastedHTML?: (html: string) => string;
  transformPasted?: (slice: Slice) => Slice;
  clipboardTextParser?: (text: string, $context: ResolvedPos) => Slice;
  clipboardSerializer?: DOMSerializer;
  nodeViews?: Record<string, (node: Node, view: EditorView, getPos: () => number | undefined) => NodeView>;
  attributes?: Record<string, string>;
  scrollThreshold?: { top: number; right: number; bottom: number; left: number };
  scrollMargin?: { top: number; right: number; bottom: number; left: number };
}

export interface NodeView {
  dom: HTMLElement;
  update?: (node: Node) => boolean;
  selectNode?: () => void;
  deselectNode?: () => void;
  stopEvent?: (event: Event) => boolean;
  ignoreMutation?: () => boolean;
  destroy?: () => void;
}

export class Plugin {
  constructor(spec: { props?: EditorProps });
}

export class EditorView {
  constructor(
    place: HTMLElement,
    props: EditorProps & { state: EditorState; dispatchTransaction?: (tr: Transaction) => void },
  );
  readonly state: EditorState;
  readonly dom: HTMLElement;
  readonly composing: boolean;
  readonly isDestroyed: boolean;
  dispatch(tr: Transaction): void;
  updateState(state: EditorState): void;
  focus(): void;
  nodeDOM(pos: number): globalThis.Node | null;
  posAtCoords(at: { left: number; top: number }): { pos: number } | null;
  destroy(): void;
}

export function keymap(bindings: Record<string, Command>): Plugin;
export function history(): Plugin;
export function closeHistory(tr: Transaction): Transaction;
export const undo: Command;
export const redo: Command;
export function gapCursor(): Plugin;
export function dropCursor(options?: { color?: string | false; class?: string }): Plugin;
export function liftTarget(range: NodeRange): number | null;
export function findWrapping(
  range: NodeRange,
  type: NodeType,
): { type: NodeType; attrs?: Attrs | null }[] | null;
export function wrapRangeInList(
  tr: Transaction,
  range: NodeRange,
  type: NodeType,
  attrs?: Attrs | null,
): boolean;
export function wrapInList(type: NodeType): Command;
export function liftListItem(type: NodeType): Command;
export function sinkListItem(type: NodeType): Command;
export function splitListItemKeepMarks(type: NodeType): Command;
export function chainCommands(...commands: Command[]): Command;
export function toggleMark(type: MarkType, attrs?: Attrs | null): Command;
export function setBlockType(type: NodeType, attrs?: Attrs | null): Command;
export function wrapIn(type: NodeType): Command;
export const lift: Command;
export const deleteSelection: Command;
export const joinBackward: Command;
export const joinForward: Command;
export const selectNodeBackward: Command;
export const selectNodeForward: Command;
export const selectAll: Command;
export const newlineInCode: Command;
export const exitCode: Command;
export const createParagraphNear: Command;
export const liftEmptyBlock: Command;
export const splitBlockKeepMarks: Command;
