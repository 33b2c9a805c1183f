import type { ReactNode } from "react";
import type { Offer } from "../../actions/offers.ts";
import type { RowContent } from "./rowContent.ts";
import type { RowShape } from "./rowShape.ts";

export interface ThreadRowProps {
  id: string;
  index: number;
  total: number;
  top: number;
  shape: RowShape;
  content: RowContent;
  /** The actions on hover, and those that are always visible. */
  tools: Offer[];
  marks: Offer[];
  isCursor: boolean;
  isOpen: boolean;
  isSelected: boolean;
  /** The subject and preview with matches marked. */
  marked?: { subject: ReactNode; preview: ReactNode } | undefined;
  /** Since 1970: what a row says of its time is right for a minute. */
  minute: number;
}

/** Whether a row would be drawn as it was: all rows of a list are asked for again when one of them changes. */
export function isSameRow(before: ThreadRowProps, now: ThreadRowProps): boolean {
  const { content, tools, marks, ...rest } = before;
  return isShallowlySame(rest, { ...now, content: undefined, tools: undefined, marks: undefined }) &&
    isShallowlySame({ ...content, notes: content.notes.join("\n") }, {
      ...now.content,
      notes: now.content.notes.join("\n"),
    }) &&
    areSameOffers(tools, now.tools) && areSameOffers(marks, now.marks);
}

/** Whether they look the same. The list does what they offer, so what they would do themselves does not matter. */
function areSameOffers(before: Offer[], now: Offer[]): boolean {
  return before.length === now.length && before.every((offer, index) => {
    const { run: _, ...look } = offer;
    return isShallowlySame(look, { ...now[index], run: undefined });
  });
}

function isShallowlySame(before: object, now: object): boolean {
  const values = now as Record<string, unknown>;
  const isSame = Object.entries(before).every(([key, value]) => Object.is(value, values[key]));
  return isSame && Object.entries(values).every(([key, value]) => value === undefined || key in before);
}
