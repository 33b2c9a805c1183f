import { marks } from "./marks.ts";
import { nodes } from "./nodes.ts";
import { type Node, Schema } from "./prosemirror.ts";

/** What a message can contain: the same vocabulary that the program keeps drafts in. */
export const schema = new Schema({ nodes, marks });

/** Whether nothing was written: spaces and empty lines. */
export function isEmpty(doc: Node): boolean {
  let isEmpty = doc.textContent.trim() === "";
  doc.descendants(({ type }) => {
    if (/^(image|remote_image|horizontal_rule|table|folded)$/.test(type.name)) isEmpty = false;
    return isEmpty;
  });
  return isEmpty;
}

/** Whether there is something that plain text cannot say. */
export function isFormatted(doc: Node): boolean {
  let isFormatted = false;
  doc.descendants(({ type, marks, attrs, text }) => {
    if (!/^(doc|paragraph|text|hard_break|introduction|blockquote|signature|folded)$/.test(type.name)) {
      isFormatted = true;
    } else if (type.name === "folded") {
      isFormatted ||= /<(img|table|a|b|strong|i|em|u|s|h\d)\b/i.test(`${attrs.html}`);
    } else isFormatted ||= marks.some((mark) => mark.type.name !== "link" || !says(text, mark.attrs.href));
    return !isFormatted;
  });
  return isFormatted;
}

/** An address that is its own text is not lost. */
function says(text = "", href: unknown): boolean {
  return `${href}`.replace(/^(https?:\/\/|mailto:)/, "") === text.replace(/^https?:\/\//, "");
}
