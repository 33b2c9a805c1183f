/** Where a floating message is, in thousandths of the window. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The window that boxes are in, in pixels. */
export interface Room {
  width: number;
  height: number;
  /** Pixels of a `rem`. */
  rem: number;
}

export interface Step {
  x: number;
  y: number;
}

/** The edges that a corner moves, such as `nw`. */
export type Corner = "nw" | "ne" | "sw" | "se";

export const CORNERS: Corner[] = ["nw", "ne", "sw", "se"];

/** In `rem`. */
const LEAST = { width: 22, height: 20 };

function held(value: number, least: number, most: number): number {
  return Math.round(Math.max(least, Math.min(most, value)));
}

function leastIn({ width, height, rem }: Room) {
  return {
    width: Math.min(1000, 1000 * LEAST.width * rem / width),
    height: Math.min(1000, 1000 * LEAST.height * rem / height),
  };
}

/** A box within the window, and large enough to write in. */
export function fitted(box: Box, room: Room): Box {
  const least = leastIn(room);
  const width = held(box.width, least.width, 1000);
  const height = held(box.height, least.height, 1000);
  const left = held(box.left, 0, 1000 - width);
  const top = held(box.top, 0, 1000 - height);
  return { left, top, width, height };
}

export function boxOf(rect: { left: number; top: number; width: number; height: number }, room: Room): Box {
  const box = {
    left: 1000 * rect.left / room.width,
    top: 1000 * rect.top / room.height,
    width: 1000 * rect.width / room.width,
    height: 1000 * rect.height / room.height,
  };
  return fitted(box, room);
}

/** - Parameter by: in pixels. */
export function moved(box: Box, by: Step, room: Room): Box {
  const left = box.left + 1000 * by.x / room.width;
  return fitted({ ...box, left, top: box.top + 1000 * by.y / room.height }, room);
}

/** Moves a corner; the opposite one stays. */
export function resized(box: Box, corner: Corner, by: Step, room: Room): Box {
  const least = leastIn(room);
  const [x, y] = [1000 * by.x / room.width, 1000 * by.y / room.height];
  const [right, bottom] = [box.left + box.width, box.top + box.height];
  const isWest = corner.endsWith("w");
  const isNorth = corner.startsWith("n");
  const width = held(box.width + (isWest ? -x : x), least.width, isWest ? right : 1000 - box.left);
  const height = held(box.height + (isNorth ? -y : y), least.height, isNorth ? bottom : 1000 - box.top);
  return fitted({
    width,
    height,
    left: isWest ? right - width : box.left,
    top: isNorth ? bottom - height : box.top,
  }, room);
}
