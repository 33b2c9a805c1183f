import type { Action, Subject } from "./action.ts";

/** An attachment that is looked at. */
export interface ViewingSubject extends Subject {
  count: number;
  step: (by: 1 | -1) => void;
  /** Null for what has no size of its own, such as sound. */
  zoom: ((by: 1 | -1 | 0) => void) | null;
  /** Larger than its place, so that the arrows scroll. */
  isLarge: boolean;
  save: () => void;
  event?: KeyboardEvent;
}

/** Arrows belong to a player that has the focus, and to an image that is larger than its place. */
function stepping(by: 1 | -1): (subject: ViewingSubject) => void | false {
  return ({ step, isLarge, event }) => {
    if (event?.key.startsWith("Arrow") && (isLarge || event.target instanceof HTMLMediaElement)) return false;
    step(by);
  };
}

const hasOthers = ({ count }: ViewingSubject) => count > 1;
const canZoom = ({ zoom }: ViewingSubject) => zoom !== null;

/** Everything that can be done to an attachment that is looked at. */
export const VIEWING: Action<ViewingSubject>[] = [
  {
    id: "previousFile",
    label: "Previous attachment",
    icon: "chevronLeft",
    keys: ["ArrowLeft", "p"],
    places: ["viewer"],
    applies: hasOthers,
    run: stepping(-1),
  },
  {
    id: "nextFile",
    label: "Next attachment",
    icon: "chevronRight",
    keys: ["ArrowRight", "n"],
    places: ["viewer"],
    applies: hasOthers,
    run: stepping(1),
  },
  {
    id: "zoomOut",
    label: "Zoom out",
    icon: "minus",
    keys: ["-"],
    places: ["viewer"],
    applies: canZoom,
    run: ({ zoom }) => zoom?.(-1),
  },
  {
    id: "zoomIn",
    label: "Zoom in",
    icon: "plus",
    keys: ["+", "="],
    places: ["viewer"],
    applies: canZoom,
    run: ({ zoom }) => zoom?.(1),
  },
  { id: "zoomFit", label: "", keys: ["0"], run: ({ zoom }) => zoom?.(0) },
  {
    id: "saveFile",
    label: "Save attachment",
    icon: "download",
    keys: ["s"],
    places: ["viewer"],
    run: ({ save }) => save(),
  },
];
