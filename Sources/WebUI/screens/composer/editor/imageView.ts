import { type EditorView, type Node, NodeSelection, type NodeView } from "./prosemirror.ts";
import { sizeOf } from "./resize.ts";

/** Wider images are shown and sent this wide at first. */
const FIRST_WIDTH = 640;

/** An image in the text: with a corner that the pointer drags when it is selected. */
export function imageView(
  first: Node,
  view: EditorView,
  getPos: () => number | undefined,
  url: (cid: string) => string | null,
): NodeView {
  let node = first;
  const dom = document.createElement("span");
  const picture = document.createElement("img");
  const corner = document.createElement("span");
  dom.className = "inline-image";
  corner.className = "inline-image-corner";
  dom.append(picture, corner);
  const show = () => {
    picture.alt = String(node.attrs.alt);
    picture.title = String(node.attrs.alt);
    picture.style.width = node.attrs.width ? `${node.attrs.width}px` : "";
  };
  const set = (size: { width: number; height: number | null }, isNews = true) => {
    const pos = getPos();
    if (pos === undefined || view.isDestroyed) return;
    const { tr, selection } = view.state;
    const isSelected = selection instanceof NodeSelection && selection.from === pos;
    tr.setNodeMarkup(pos, null, { ...node.attrs, ...size });
    if (isSelected) tr.setSelection(NodeSelection.create(tr.doc, pos));
    view.dispatch(isNews ? tr : tr.setMeta("addToHistory", false));
  };
  picture.addEventListener("load", () => {
    if (node.attrs.width === null && picture.naturalWidth > FIRST_WIDTH) {
      set(sizeOf(picture, FIRST_WIDTH), false);
    }
  });
  drag(corner, picture, (width) => set(sizeOf(picture, width)));
  const { cid, data } = node.attrs;
  picture.src = cid ? url(String(cid)) ?? "" : String(data ?? "");
  show();
  return {
    dom,
    update(next) {
      if (next.type !== node.type || next.attrs.cid !== node.attrs.cid) return false;
      node = next;
      show();
      return true;
    },
    selectNode: () => dom.classList.add("inline-image-selected"),
    deselectNode: () => dom.classList.remove("inline-image-selected"),
    stopEvent: (event) => event.target === corner,
    ignoreMutation: () => true,
  };
}

/** Resizes a picture with its corner. */
function drag(corner: HTMLElement, picture: HTMLImageElement, done: (width: number) => void): void {
  corner.addEventListener("pointerdown", (start) => {
    start.preventDefault();
    const width = picture.offsetWidth;
    const moved = (event: PointerEvent) => Math.max(1, width + event.clientX - start.clientX);
    const move = (event: PointerEvent) => {
      picture.style.width = `${sizeOf(picture, moved(event)).width}px`;
    };
    const end = (event: PointerEvent) => {
      corner.removeEventListener("pointermove", move);
      if (event.type === "pointerup" && event.clientX !== start.clientX) done(moved(event));
      else picture.style.width = `${width}px`;
    };
    corner.setPointerCapture(start.pointerId);
    corner.addEventListener("pointermove", move);
    corner.addEventListener("pointerup", end, { once: true });
    corner.addEventListener("pointercancel", end, { once: true });
  });
}
