import {
  BLACK,
  type Color,
  colorFrom,
  colorOf,
  contrast,
  faded,
  isLost,
  mixed,
  over,
  type Shade,
  shadeOf,
  WHITE,
} from "./colors.ts";

/** What messages lie on in the dark: the page's `--surface-high`. */
export const SURFACE: Color = [31, 34, 42, 1];
/** The contrast that text has at least, a little more than 4.5 since colors are rounded, and at most. */
const [LEAST, MOST] = [4.55, 13];
/** Backgrounds that are no lighter than this are dark enough: white text on them can be read. */
const LIGHTEST = 0.53;
/** Borders are so much lighter than a background, and at least so light. */
const [BORDER, LEAST_BORDER] = [0.1, 0.42];

const BASE = shadeOf(SURFACE);

/** A light background as a dark one: white becomes the surface, and what was darker becomes a little lighter. */
export function darkBackground(color: Color): Color {
  const shade = shadeOf(color);
  return shade[0] < LIGHTEST ? color : colorFrom(turned(shade));
}

export function darkBorder(color: Color): Color {
  const shade = shadeOf(color);
  const [light, a, b] = shade[0] < LIGHTEST ? shade : turned(shade);
  return colorFrom([Math.max(LEAST_BORDER, light + BORDER), a, b]);
}

/** Its tint is that of the color, and for white that of the surface. */
function turned([light, a, b]: Shade): Shade {
  const part = (light - LIGHTEST) / (1 - LIGHTEST);
  const tint = 1 - part * 0.4;
  const [base, baseA, baseB] = BASE;
  return [LIGHTEST + (base - LIGHTEST) * part, a * tint + baseA * part, b * tint + baseB * part];
}

/**
 * The color of a text on a new background: with the contrast that its sender gave it, and never less than can be read
 * without effort. Text that its sender hid stays hidden. Null: the color that it has is fine.
 */
export function readable(text: Color, opacity: number, before: Color, now: Color): Color | null {
  const drawn = (color: Color) => over(faded(color, opacity), now) ?? color;
  if (isLost(faded(text, opacity), before)) return now;
  const given = contrast(over(faded(text, opacity), before) ?? text, before);
  const wanted = Math.min(MOST, Math.max(LEAST, before === now ? LEAST : given));
  const solid = over(text, before) ?? text;
  if (contrast(drawn(text), now) >= wanted) return null;
  const extreme = contrast(WHITE, now) >= LEAST || contrast(WHITE, now) >= contrast(BLACK, now)
    ? WHITE
    : BLACK;
  // The least of white or black that makes it so.
  let [low, high] = [0, 1];
  for (let step = 0; step < 8; step += 1) {
    const middle = (low + high) / 2;
    if (contrast(drawn(mixed(solid, extreme, middle)), now) >= wanted) high = middle;
    else low = middle;
  }
  return mixed(solid, extreme, high);
}

/** The average of a gradient's colors; null where there is an image, or no color at all. */
export function gradientColor(image: string): Color | null {
  if (image === "none" || image.includes("url(")) return null;
  const colors = (image.match(/rgba?\([^)]*\)/g) ?? []).map(colorOf).filter((color) => color !== null);
  if (colors.length === 0 || colors.some(([, , , alpha]) => alpha < 1)) return null;
  return colors.reduce((sum, color, at) => mixed(sum, color, 1 / (at + 1)));
}
