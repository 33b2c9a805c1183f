import type { Composer } from "./composer.ts";

/** Replaces a part of the text that is being written. */
export function replace(
  area: HTMLTextAreaElement,
  { start, end }: { start: number; end: number },
  text: string,
  composer: Composer,
): void {
  area.focus();
  area.setSelectionRange(start, end);
  // The only way that leaves “undo” working.
  if (document.execCommand("insertText", false, text)) return;
  area.setRangeText(text, start, end, "end");
  composer.write(area.value);
}

/** Adds or removes a mark around the selection. */
export function mark(area: HTMLTextAreaElement, sign: string, composer: Composer): void {
  const { value } = area;
  let [start, end] = [area.selectionStart, area.selectionEnd];
  while (start < end && /\s/.test(value.charAt(start))) start += 1;
  while (end > start && /\s/.test(value.charAt(end - 1))) end -= 1;
  const isMarked = value.slice(start - sign.length, start) === sign && value.startsWith(sign, end) &&
    (sign !== "*" || value.charAt(start - 2) !== "*");
  const chosen = value.slice(start, end);
  const by = isMarked ? -sign.length : sign.length;
  if (isMarked) replace(area, { start: start + by, end: end - by }, chosen, composer);
  else replace(area, { start, end }, sign + chosen + sign, composer);
  area.setSelectionRange(start + by, end + by);
}
