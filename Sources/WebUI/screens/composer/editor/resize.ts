import { type Command, type EditorView, NodeSelection } from "./prosemirror.ts";

export const SMALLEST = 24;
export const WIDEST = 1200;

/** The picture that the selected node is shown as. */
function shown(view: EditorView | undefined, pos: number): HTMLImageElement | null {
  const dom = view?.nodeDOM(pos);
  return dom instanceof HTMLElement ? dom.querySelector("img") : null;
}

/** A width with the height that keeps the proportions. */
export function sizeOf(picture: HTMLImageElement, width: number): { width: number; height: number | null } {
  const fit = Math.round(Math.min(Math.max(width, SMALLEST), WIDEST));
  const { naturalWidth, naturalHeight } = picture;
  return {
    width: fit,
    height: naturalWidth ? Math.max(1, Math.round(fit * naturalHeight / naturalWidth)) : null,
  };
}

/** Changes the width of the selected image; null: as it is by itself. */
export function resize(by: number | null): Command {
  return (state, dispatch, view) => {
    const { selection } = state;
    if (!(selection instanceof NodeSelection) || selection.node.type.name !== "image") return false;
    const picture = shown(view, selection.from);
    if (!picture || !dispatch) return true;
    const size = by === null ? { width: null, height: null } : sizeOf(picture, picture.offsetWidth * by);
    const tr = state.tr.setNodeMarkup(selection.from, null, { ...selection.node.attrs, ...size });
    dispatch(tr.setSelection(NodeSelection.create(tr.doc, selection.from)));
    return true;
  };
}
