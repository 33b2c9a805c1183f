import { WRAPPER } from "./wrapper.ts";

/** On the root of a message: how much larger its text is than usual; 1 at twice the size. */
export const GROWTH = "--text-growth";
/** On each element that needs more room for its text than the sender gave it. */
export const ROOMY = "data-roomy";

/** Pixels of a `rem` at the usual text size. */
const USUAL = 16;
/** Larger text grows by as much as text of this size: headlines would not fit on a phone otherwise. */
const MOST_GROWING = { "font-size": 16, "line-height": 24 };
/** Smaller text was not meant to be read. */
const LEAST_GROWING = 6;
/** A message with more elements is not searched for those that need room. */
const MOST_ELEMENTS = 10_000;

const UNITS: Record<string, number> = { px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 96 / 2.54, mm: 9.6 / 2.54 };
const KEYWORDS: Record<string, number> = {
  "xx-small": 9,
  "x-small": 10,
  "small": 13,
  "medium": 16,
  "large": 18,
  "x-large": 24,
  "xx-large": 32,
  "xxx-large": 48,
};

type Growing = keyof typeof MOST_GROWING;

/** Declarations that follow the text size already. */
const following = new WeakSet<CSSStyleDeclaration>();

export function growthOf(rem: number): number {
  return rem / USUAL - 1;
}

/**
 * A length that follows the text size of the page; null for one that is relative to text which does so itself.
 *
 * @param isRoot whether percentages are of the browser's text size
 */
export function grown(name: Growing, value: string, isRoot = false): string | null {
  const fixed = pixels(name, value, isRoot);
  const most = MOST_GROWING[name];
  if (fixed !== null) {
    return fixed < LEAST_GROWING ? null : `calc(${fixed}px + ${Math.min(fixed, most)}px * var(${GROWTH}))`;
  }
  // Of the window: nothing else grows with it.
  if (!/\d(vw|vi|vmin|vmax)\b/.test(value) || /\d(r?em|r?ex|r?ch|r?lh|%)/.test(value)) return null;
  return `calc(${value} + min(${value}, ${most}px) * var(${GROWTH}))`;
}

function pixels(name: Growing, value: string, isRoot: boolean): number | null {
  const keyword = name === "font-size" ? KEYWORDS[value] : undefined;
  if (keyword !== undefined) return keyword;
  const [, number = "", unit = ""] = /^([\d.]+)(px|pt|pc|in|cm|mm|%)$/.exec(value) ?? [];
  const size = unit === "%" ? isRoot && name === "font-size" ? USUAL / 100 : undefined : UNITS[unit];
  return size === undefined ? null : Math.round(Number(number) * size * 100) / 100;
}

/**
 * Shows a message at the text size of the page. Text whose size the sender fixed follows it as all other text does,
 * and elements that held their text go on holding it.
 *
 * @param show shows it with so many pixels of a `rem`
 */
export function atTextSize(inside: Document, rem: number, show: (rem: number) => void): void {
  for (const roomy of inside.querySelectorAll(`[${ROOMY}]`)) roomy.removeAttribute(ROOMY);
  if (rem === USUAL) return show(rem);
  show(USUAL);
  const all = [...inside.body.querySelectorAll(`${WRAPPER} *`)];
  const holding = all.length > MOST_ELEMENTS ? [] : all.filter((one) => !overflows(one));
  followAll(inside);
  show(rem);
  const tight = holding.filter(overflows);
  for (const element of tight) element.setAttribute(ROOMY, "");
}

function followAll(inside: Document): void {
  for (const { sheet } of inside.body.querySelectorAll("style")) {
    for (const rule of rulesOf(sheet)) follow(rule.style, /\bhtml\b|:root/i.test(rule.selectorText));
  }
  for (const element of inside.body.querySelectorAll<HTMLElement>("[style]")) follow(element.style, false);
}

/** Those within conditions too. The program leaves no rules within those. */
function rulesOf(sheet: CSSStyleSheet | null): CSSStyleRule[] {
  const all = [...sheet?.cssRules ?? []];
  return all.flatMap((rule) => "media" in rule ? [...(rule as CSSMediaRule).cssRules] : [rule])
    .filter((rule): rule is CSSStyleRule => "selectorText" in rule);
}

function follow(style: CSSStyleDeclaration, isRoot: boolean): void {
  if (following.has(style)) return;
  following.add(style);
  // Lines around text that is not to be seen only make room.
  const isSpace = (pixels("font-size", style.fontSize, isRoot) ?? LEAST_GROWING) < LEAST_GROWING;
  const names: Growing[] = isSpace ? [] : ["font-size", "line-height"];
  for (const name of names) {
    const value = grown(name, style.getPropertyValue(name), isRoot);
    if (value) style.setProperty(name, value, style.getPropertyPriority(name));
  }
}

function overflows({ scrollHeight, clientHeight, scrollWidth, clientWidth }: Element): boolean {
  return scrollHeight > clientHeight + 2 || scrollWidth > clientWidth + 2;
}
