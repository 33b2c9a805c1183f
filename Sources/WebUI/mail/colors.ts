/** Colors as the browser computes them, and how well they can be told apart. */
export type Color = [red: number, green: number, blue: number, alpha: number];

export const WHITE: Color = [255, 255, 255, 1];
export const BLACK: Color = [0, 0, 0, 1];

export function colorOf(text: string): Color | null {
  const numbers = /^rgba?\((.*)\)$/.exec(text)?.[1]?.match(/[\d.]+/g)?.map(Number);
  const [red, green, blue, alpha = 1] = numbers ?? [];
  return red === undefined || green === undefined || blue === undefined ? null : [red, green, blue, alpha];
}

export function textOf([red, green, blue]: Color): string {
  return `rgb(${Math.round(red)}, ${Math.round(green)}, ${Math.round(blue)})`;
}

export function faded(color: Color | null, opacity: number): Color | null {
  return color && [color[0], color[1], color[2], color[3] * opacity];
}

/** A color that may be translucent, as it is drawn over another; null if that is unknown. */
export function over(color: Color | null, behind: Color | null): Color | null {
  const alpha = color?.[3] ?? 0;
  if (!color || alpha === 0) return behind;
  if (alpha === 1) return color;
  if (!behind) return null;
  return mixed(behind, color, alpha);
}

/** From `one` to `other` by a part of the way. */
export function mixed(one: Color, other: Color, part: number): Color {
  const mix = (from: number, to: number) => from * (1 - part) + to * part;
  return [mix(one[0], other[0]), mix(one[1], other[1]), mix(one[2], other[2]), 1];
}

/** Whether letters of a color cannot be told from what is behind them. */
export function isLost(color: Color | null, behind: Color | null): boolean {
  if (!color) return false;
  if (color[3] < 0.1) return true;
  const text = over(color, behind);
  if (!behind || !text) return false;
  return contrast(text, behind) < 1.12 &&
    [0, 1, 2].every((at) => Math.abs((text[at] ?? 0) - (behind[at] ?? 0)) < 40);
}

/** From 1 for the same brightness to 21 for black on white. */
export function contrast(one: Color, other: Color): number {
  const [first, second] = [brightness(one) + 0.05, brightness(other) + 0.05];
  return Math.max(first, second) / Math.min(first, second);
}

export function brightness([red, green, blue]: Color): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(value: number): number {
  return value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
}

/** A color by what an eye sees (Oklab): how light it is, from 0 to 1, and its tint. */
export type Shade = [light: number, a: number, b: number];

export function shadeOf([red, green, blue]: Color): Shade {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** The color of a shade. Where a screen has none so strong, one with less of the tint: another one would mislead. */
export function colorFrom([light, a, b]: Shade): Color {
  for (let part = 1; part > 0.05; part -= 0.05) {
    const color = linearFrom([light, a * part, b * part]);
    if (color.every((value) => value > -0.001 && value < 1.001)) return encodedAll(color);
  }
  return encodedAll(linearFrom([light, 0, 0]));
}

function linearFrom([light, a, b]: Shade): [number, number, number] {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function encodedAll([red, green, blue]: [number, number, number]): Color {
  return [encoded(red), encoded(green), encoded(blue), 1];
}

function encoded(value: number): number {
  const part = Math.min(1, Math.max(0, value));
  return Math.round(255 * (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055));
}
