import { type Color, colorOf, faded, over, textOf, WHITE } from "./colors.ts";
import { darkBackground, darkBorder, gradientColor, readable, SURFACE } from "./darkColors.ts";

/** On each element whose colors are others in the dark: which. */
export const DARK = "data-dark";
/** A message with more elements keeps its white paper: looking at them would take long. */
const MOST_ELEMENTS = 10_000;
/** A property that an element has with the highest weight gets its value from one of these. */
const INKS = { color: "--dark-ink", "background-color": "--dark-paper", "background-image": "--dark-image" };

/** What is behind an element's text, as the sender meant it and in the dark; null if it is an image. */
interface Ground {
  before: Color | null;
  now: Color | null;
  opacity: number;
}

type Declarations = Record<string, string>;

/**
 * Rewrites the colors of a message for the dark, by what the browser made of its style sheets: light backgrounds
 * become dark, and text keeps the contrast that it had, which is never less than 4.5 to 1. Images stay as they are.
 *
 * The message must have the look for white paper, or where it has a dark style of its own, that one; then only text is
 * changed that could not be read.
 *
 * @returns the style sheet that does it, on a screen and not on paper; null if there is too much to look at
 */
export function darken(inside: Document, hasOwnStyle: boolean): string | null {
  const elements = [inside.documentElement, inside.body, ...inside.body.querySelectorAll("*")];
  if (elements.length > MOST_ELEMENTS) return null;
  const grounds = new Map<Element, Ground>();
  const outer = { before: hasOwnStyle ? SURFACE : WHITE, now: SURFACE, opacity: 1 };
  const found: [HTMLElement, Declarations][] = [];
  // First all is read and then all is written: otherwise the browser would compute its styles again and again.
  for (const element of elements) {
    if (element.nodeName === "STYLE") continue;
    const style = getComputedStyle(element);
    const around = element.parentElement && grounds.get(element.parentElement) || outer;
    const made: Declarations = {};
    const ground = hasOwnStyle ? seen(style, around) : laid(style, around, made);
    grounds.set(element, ground);
    if (!hasOwnStyle) Object.assign(made, borders(style));
    if (hasText(element)) Object.assign(made, ink(style, ground));
    if (Object.keys(made).length > 0) found.push([element as HTMLElement, made]);
  }
  return written(inside, found);
}

/** The ground of an element that keeps its background. */
function seen(style: CSSStyleDeclaration, around: Ground): Ground {
  const opacity = around.opacity * Number(style.opacity);
  const gradient = gradientColor(style.backgroundImage);
  if (style.backgroundImage !== "none" && !gradient) return { before: null, now: null, opacity };
  const color = gradient ?? over(faded(colorOf(style.backgroundColor), opacity), around.now);
  return { before: color, now: color, opacity };
}

/** The ground of an element whose background becomes dark, with what makes it so. */
function laid(style: CSSStyleDeclaration, around: Ground, made: Declarations): Ground {
  const opacity = around.opacity * Number(style.opacity);
  const gradient = gradientColor(style.backgroundImage);
  if (style.backgroundImage !== "none" && !gradient) return { before: null, now: null, opacity };
  const own = gradient ?? colorOf(style.backgroundColor);
  if (!own || own[3] === 0) return { ...around, opacity };
  const before = over(own, around.before) ?? own;
  const now = darkBackground(before);
  if (now !== before || own[3] < 1) {
    made["background-color"] = textOf(now);
    if (gradient) made["background-image"] = "none";
  }
  return { before, now, opacity };
}

function borders(style: CSSStyleDeclaration): Declarations {
  const made: Declarations = {};
  for (const side of ["top", "right", "bottom", "left"]) {
    const name = `border-${side}`;
    const color = colorOf(style.getPropertyValue(`${name}-color`));
    const isDrawn = parseFloat(style.getPropertyValue(`${name}-width`)) > 0;
    if (isDrawn && color && color[3] > 0) {
      made[`${name}-color`] = textOf(darkBorder(over(color, WHITE) ?? color));
    }
  }
  return made;
}

/** The text that stands in the place of an image counts. */
function hasText(element: Element): boolean {
  if (element.nodeName === "IMG") return element.getAttribute("alt") !== "";
  for (const node of element.childNodes) {
    if (node.nodeType === Node.TEXT_NODE && /\S/.test(node.nodeValue ?? "")) return true;
  }
  return false;
}

function ink(style: CSSStyleDeclaration, { before, now, opacity }: Ground): Declarations {
  const text = colorOf(style.color);
  if (!text) return {};
  // On an image it stays as it is, and does not follow the theme.
  const color = before && now ? readable(text, opacity, before, now) ?? text : text;
  return { color: textOf(color[3] === 1 || !before ? color : over(color, before) ?? color) };
}

/** Writes the marks, and returns the rules for them. A rule is used for all elements that need the same. */
function written(inside: Document, found: [HTMLElement, Declarations][]): string {
  for (const marked of inside.querySelectorAll(`[${DARK}]`)) marked.removeAttribute(DARK);
  const rules = new Map<string, number>();
  for (const [element, made] of found) {
    const text = Object.entries(made).map(([name, value]) => `${name}:${value}!important`).join(";") +
      followed(element, made);
    if (!rules.has(text)) rules.set(text, rules.size);
    element.setAttribute(DARK, String(rules.get(text)));
  }
  const lines = [...rules].map(([text, at]) => `[${DARK}="${at}"]{${text}}`);
  return `
    ${Object.values(INKS).map((name) => `@property ${name} { syntax: "*"; inherits: false; }`).join("\n")}
    @layer { @media screen { ${lines.join("\n")} } }`;
}

/** No rule is stronger than an important declaration of an element itself: that one follows a variable then. */
function followed(element: HTMLElement, made: Declarations): string {
  let text = "";
  for (const [name, variable] of Object.entries(INKS)) {
    const value = made[name];
    if (value === undefined || element.style.getPropertyPriority(name) !== "important") continue;
    const own = element.style.getPropertyValue(name);
    if (!own.includes("var(")) element.style.setProperty(name, `var(${variable}, ${own})`, "important");
    text += `;${variable}:${value}`;
  }
  return text;
}
