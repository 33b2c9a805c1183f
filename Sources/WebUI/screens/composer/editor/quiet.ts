/** The name that style attributes have while HTML is read: nothing acts on it. */
export const STYLE = "data-mk-style";

const TAG = /<!--[\s\S]*?(?:-->|$)|<([a-z][^\s>/]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?/g;
/** What is left out with all that is in it, and what is left out alone. */
const WHOLE = /^(style|script|title|noscript|template)$/i;
const ALONE = /^(base|link|meta|iframe|frame|frameset|object|embed)$/i;

/**
 * HTML whose style attributes have another name, and that has nothing a browser acts on while it reads it.
 *
 * This is no protection: that the result is read into a document without a window, and that only what the schema
 * knows is taken from there, is. But even there a browser would report on the console that the page's policy
 * refuses inline styles and handlers, and would take the styles away.
 */
export function quiet(html: string): string {
  let output = "";
  let at = 0;
  for (;;) {
    TAG.lastIndex = at;
    const found = TAG.exec(html);
    if (!found) return output + html.slice(at);
    const [tag, name, rest = ""] = found;
    output += html.slice(at, found.index);
    at = found.index + tag.length;
    if (name && WHOLE.test(name)) at = endOf(name, html, at);
    else if (name && !ALONE.test(name)) output += `<${name}${attributes(rest)}>`;
  }
}

function endOf(name: string, html: string, from: number): number {
  const end = new RegExp(`</${name}\\b[^>]*>`, "gi");
  end.lastIndex = from;
  return end.exec(html) ? end.lastIndex : html.length;
}

function attributes(text: string): string {
  return text.replace(ATTRIBUTE, (attribute: string, key: string, value = "") => {
    if (/^style$/i.test(key)) return STYLE + value;
    return /^(on|data-mk-)/i.test(key) ? "" : attribute;
  });
}

/** Undoes the renaming in what was read. */
export function loud(html: string): string {
  return html.replaceAll(` ${STYLE}="`, ' style="');
}
