import { type RefObject } from "react";
import { useApp } from "../../store/app.ts";
import { type Density, useAppearance } from "../../store/appearance.ts";
import { useMeasures, useSize } from "../../ui/layout.ts";

/** How a row is laid out: as the user chose, or `tight` where text is large for the list. */
export type RowShape = Density | "tight";

/** Heights in `rem`. Fingers get at least 44 pixels. */
const HEIGHTS: Record<RowShape, number> = { compact: 1.875, cozy: 3.375, roomy: 5.25, tight: 8.5 };

/** One line needs so many `rem`. */
const LINE = 22;

/** The shape and height of the rows of a list. */
export function useRowShape(frame: RefObject<HTMLElement>) {
  const { density } = useAppearance(useApp());
  const { width } = useSize(frame, "list");
  const { rem } = useMeasures();
  const shape = shapeOf(density, width / rem, matchMedia("(pointer: coarse)").matches);
  return { width, shape, rowHeight: Math.round(HEIGHTS[shape] * rem) };
}

/** - Parameter room: the width of the list in `rem`, 0 until it is known. */
export function shapeOf(density: Density, room: number, isFinger: boolean): RowShape {
  if (room > 0 && room < 17) return "tight";
  return density === "compact" && (isFinger || room > 0 && room < LINE) ? "cozy" : density;
}
