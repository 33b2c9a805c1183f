import { Eye } from "./eye.ts";

/** Text with less contrast cannot be read without effort. */
const LEAST_CONTRAST = 2;
/** A message that shows so many letters hides nothing that matters, nor one that shows this part of them. */
const [ENOUGH_LETTERS, ENOUGH_OF_ALL] = [200, 0.1];
/** So many hidden letters are looked at. */
const MOST_HIDDEN = 100_000;
/** So many texts are looked at for some that have lost their background. */
const MOST_TEXTS = 20_000;
/** The program's mark where a background image is not shown: docs/api.md, EmailView. */
const MARK = "--blocked-image";
/** Text on light and on dark, as in `frameStyle`. */
const [ON_LIGHT, ON_DARK] = ["#171a21", "#e9ebf0"];

/** Whether a message has text of which nearly nothing can be seen, and no image either. */
export function isBlank(inside: Document): boolean {
  const images = [...inside.body.querySelectorAll("img")];
  if (images.some((image) => image.checkVisibility({ opacityProperty: true, visibilityProperty: true }))) {
    return false;
  }
  const eye = new Eye(inside, false);
  let [all, seen] = [0, 0];
  for (const { text } of texts(inside)) {
    const letters = count(text.data);
    all += letters;
    seen += letters * eye.shareSeen(text);
    if (seen > ENOUGH_LETTERS) return false;
    if (all > MOST_HIDDEN) break;
  }
  return all > 0 && seen < all * ENOUGH_OF_ALL;
}

function count(text: string): number {
  return text.match(/[\p{L}\p{N}\p{P}\p{S}]/gu)?.length ?? 0;
}

/** Gives text that was made for a background image, which is not shown, a color that can be read without. */
export function recolor(inside: Document): void {
  if (!inside.body.innerHTML.includes(MARK)) return;
  const eye = new Eye(inside, false);
  const colors = new Map<HTMLElement, string>();
  let looked = 0;
  for (const { parent } of texts(inside)) {
    if (looked++ > MOST_TEXTS) break;
    if (colors.has(parent)) continue;
    const contrast = eye.contrast(parent);
    if (!contrast || contrast.ratio >= LEAST_CONTRAST || !lostItsBackground(parent, eye)) continue;
    colors.set(parent, contrast.isOnLight ? ON_LIGHT : ON_DARK);
  }
  // First all is read and then all is written: a color that is inherited would change what is read.
  for (const [element, color] of colors) element.style.setProperty("color", color, "important");
}

/** Whether the image that an element's text would be drawn on is not shown. */
function lostItsBackground(element: Element, eye: Eye): boolean {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const style = eye.style(at);
    if (style.getPropertyValue(MARK).trim() === "1") return true;
    if (!/^rgba\(.*, 0\)$|^transparent$/.test(style.backgroundColor)) return false;
  }
  return false;
}

/** The texts of a message that hold more than blanks, and what they are in. */
function* texts(inside: Document): Iterable<{ text: Text; parent: HTMLElement }> {
  const walker = inside.createTreeWalker(inside.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement: parent, data } = node as Text;
    if (!parent || parent.nodeName === "STYLE" || count(data) === 0) continue;
    yield { text: node as Text, parent };
  }
}
