/** The program's mark for quotes: docs/api.md, EmailView. */
const QUOTES = "[data-quote=quote], [data-quote=intro], [data-quote=rest]";
/** Set on folded content; the frame's style sheet hides it. */
export const FOLDED = "data-folded";

/**
 * Marks the quote at the end of a message so that it can be folded. A quote with a reply below it stays
 * visible, because the reply refers to it.
 *
 * @returns whether anything can be folded
 */
export function markQuotedEnd(root: Element): boolean {
  const rest = root.querySelector("[data-quote=rest]");
  const last = lastOwnWord(root, rest);
  let isAny = false;
  const mark = (element: Element) => {
    element.setAttribute(FOLDED, "");
    isAny = true;
  };
  for (const quote of root.querySelectorAll(QUOTES)) {
    if (last && !(last.compareDocumentPosition(quote) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
    if (!quote.parentElement?.closest(`[${FOLDED}]`)) mark(quote);
  }
  if (rest) { for (const element of after(rest, root)) mark(element); }
  // A message that is nothing but a quote is shown.
  if (isAny && last === null) {
    for (const element of root.querySelectorAll(`[${FOLDED}]`)) element.removeAttribute(FOLDED);
    return false;
  }
  return isAny;
}

/** The last text or image that the sender wrote. */
function lastOwnWord(root: Element, rest: Element | null): Node | null {
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, {
    acceptNode: (node) => {
      const isElement = node.nodeType === Node.ELEMENT_NODE;
      if (isElement && ((node as Element).matches(QUOTES) || node.nodeName === "STYLE")) {
        return NodeFilter.FILTER_REJECT;
      }
      const isWord = isElement ? node.nodeName === "IMG" : /\S/.test(node.nodeValue ?? "");
      return isWord ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP;
    },
  });
  let last: Node | null = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (rest && rest.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) break;
    last = node;
  }
  return last;
}

/** The nodes after an element, at its level and at those above. */
function* after(element: Element, root: Element): Iterable<Element> {
  for (let at: Element | null = element; at && at !== root; at = at.parentElement) {
    for (let next = at.nextElementSibling; next; next = next.nextElementSibling) yield next;
  }
}
