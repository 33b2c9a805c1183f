import type { Mark, Node } from "./prosemirror.ts";

/** A message as HTML: what is kept of it, and sent. */
export function writeHTML(doc: Node): string {
  return children(doc, block);
}

function element(tag: string, html: string): string {
  return `<${tag}>${html}</${tag}>`;
}

function children(node: Node, write: (child: Node) => string): string {
  let html = "";
  node.forEach((child) => {
    html += write(child);
  });
  return html;
}

function block(node: Node): string {
  const { attrs } = node;
  switch (node.type.name) {
    case "paragraph":
      return element(attrs.isLine ? "div" : "p", inline(node) || "<br>");
    case "introduction":
      return `<div class="moz-cite-prefix">${inline(node)}</div>`;
    case "heading":
      return element(`h${attrs.level}`, inline(node));
    case "blockquote":
      return `<blockquote${attrs.isCited ? ' type="cite"' : ""}>${children(node, block)}</blockquote>`;
    case "signature":
      return `<div class="moz-signature">${children(node, block)}</div>`;
    case "bullet_list":
      return `<ul>${children(node, item)}</ul>`;
    case "ordered_list":
      return `<ol${number("start", attrs.start)}>${children(node, item)}</ol>`;
    case "code_block":
      // The first line break after the tag is not content.
      return `<pre>${node.textContent.startsWith("\n") ? "\n" : ""}${escape(node.textContent)}</pre>`;
    case "table":
      return `<table><tbody>${children(node, (row) => `<tr>${children(row, cell)}</tr>`)}</tbody></table>`;
    case "horizontal_rule":
      return "<hr>";
    case "folded":
      return String(attrs.html);
    default:
      return "";
  }
}

/** Text that stands alone needs no paragraph, which mail programs would set apart from its sign. */
function item(node: Node): string {
  let html = "";
  node.forEach((child, _, index) => {
    html += index === 0 && isAlone(node) ? inline(child) : block(child);
  });
  return `<li>${html}</li>`;
}

function isAlone(node: Node): boolean {
  if (node.firstChild?.type.name !== "paragraph") return false;
  let others = 0;
  node.forEach(({ type }, _, index) => {
    if (index > 0 && !type.name.endsWith("_list")) others += 1;
  });
  return others === 0;
}

function cell(node: Node): string {
  const tag = node.type.name === "table_header" ? "th" : "td";
  const { colspan, rowspan } = node.attrs;
  const only = node.childCount === 1 ? node.firstChild : null;
  const html = only?.type.name === "paragraph" ? inline(only) : children(node, block);
  return `<${tag}${number("colspan", colspan)}${number("rowspan", rowspan)}>${html}</${tag}>`;
}

/** An attribute that is left out where it says what is so anyway. */
function number(name: string, value: unknown): string {
  return value === 1 || value === null ? "" : ` ${name}="${value}"`;
}

function inline(node: Node): string {
  let html = "";
  let open: readonly Mark[] = [];
  node.forEach((child) => {
    const shared = sharedBy(open, child.marks);
    html += closing(open.slice(shared)) + opening(child.marks.slice(shared)) + leaf(child);
    open = child.marks;
  });
  return spaced(html + closing(open));
}

function sharedBy(some: readonly Mark[], others: readonly Mark[]): number {
  const at = some.findIndex((mark, index) => {
    const other = others[index];
    return !other || !mark.eq(other);
  });
  return at < 0 ? some.length : at;
}

function leaf(node: Node): string {
  if (node.isText) return escape(node.text ?? "");
  if (node.type.name === "hard_break") return "<br>";
  const { cid, data, url, alt, width, height } = node.attrs;
  if (!cid && !data && !url) return "";
  const source = url ? `data-src="${quoted(url)}"` : `src="${quoted(cid ? `cid:${cid}` : data)}"`;
  return `<img ${source} alt="${quoted(alt)}"${number("width", width)}${number("height", height)}>`;
}

const TAGS: Record<string, string> = { bold: "b", italic: "i", underline: "u", strike: "s", code: "code" };
const STYLES: Record<string, string> = { color: "color", highlight: "background-color", size: "font-size" };

function opening(marks: readonly Mark[]): string {
  return marks.map(({ type: { name }, attrs }) => {
    if (name === "link") return `<a href="${quoted(attrs.href)}">`;
    return STYLES[name] ? `<span style="${STYLES[name]}:${quoted(attrs.value)}">` : `<${TAGS[name]}>`;
  }).join("");
}

function closing(marks: readonly Mark[]): string {
  return [...marks].reverse().map(({ type: { name } }) =>
    name === "link" ? "</a>" : STYLES[name] ? "</span>" : `</${TAGS[name]}>`
  ).join("");
}

function escape(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function quoted(value: unknown): string {
  return escape(String(value)).replace(/"/g, "&quot;");
}

/** Spaces that HTML would leave out. */
function spaced(html: string): string {
  return html.replace(/^ | (?= |$|<br>)/g, "&nbsp;");
}
