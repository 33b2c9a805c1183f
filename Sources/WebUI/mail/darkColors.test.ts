import { equal, isTrue } from "../testing/assert.ts";
import { BLACK, type Color, contrast, textOf, WHITE } from "./colors.ts";
import { darkBackground, gradientColor, readable, SURFACE } from "./darkColors.ts";

const shades = [0, 85, 170, 255];
const colors = shades.flatMap((red) =>
  shades.flatMap((green) => shades.map((blue): Color => [red, green, blue, 1]))
);

/** As a style sheet has it. */
function rounded([red, green, blue]: Color): Color {
  return [Math.round(red), Math.round(green), Math.round(blue), 1];
}

Deno.test("white becomes the surface, and dark backgrounds stay", () => {
  equal(textOf(darkBackground(WHITE)), textOf(SURFACE));
  equal(darkBackground([20, 20, 60, 1]), [20, 20, 60, 1]);
});

Deno.test("white can be read on every background", () => {
  for (const color of colors) {
    const ratio = contrast(WHITE, darkBackground(color));
    isTrue(ratio >= 4.5, `${textOf(color)}: ${ratio}`);
  }
});

Deno.test("every text can be read on every background, and what was hidden stays hidden", () => {
  for (const behind of colors) {
    const now = darkBackground(behind);
    for (const text of colors) {
      const made = rounded(readable(text, 1, behind, now) ?? text);
      const ratio = contrast(made, now);
      isTrue(ratio >= 4.5 || ratio < 1.13, `${textOf(text)} on ${textOf(behind)}: ${ratio}`);
    }
  }
  equal(readable(WHITE, 1, WHITE, SURFACE), SURFACE);
});

Deno.test("what a sender made strong stays strong", () => {
  const black = readable(BLACK, 1, WHITE, SURFACE) ?? BLACK;
  const gray = readable([120, 120, 120, 1], 1, WHITE, SURFACE) ?? BLACK;
  isTrue(contrast(black, SURFACE) > 12, "black is less strong");
  isTrue(contrast(gray, SURFACE) < 6, "gray is stronger");
});

Deno.test("a gradient is the average of its colors", () => {
  equal(gradientColor("linear-gradient(rgb(0, 0, 0), rgb(200, 100, 50))"), [100, 50, 25, 1]);
  equal(gradientColor('url("a.png")'), null);
});
