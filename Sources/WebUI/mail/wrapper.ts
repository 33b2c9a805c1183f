/**
 * The element around the text of a message in its frame. Rules of senders about `div` are not about it; the frame's
 * style sheet keeps it visible under those about all elements.
 */
export const WRAPPER = "mail-body";

/** Puts the program's HTML into the body of a frame, with an element of our own around the text. */
export function fill(body: HTMLElement, html: string): void {
  body.innerHTML = html;
  for (const given of body.querySelectorAll(":scope > div")) {
    const own = body.ownerDocument.createElement(WRAPPER);
    for (const { name, value } of given.attributes) own.setAttribute(name, value);
    while (given.firstChild) own.append(given.firstChild);
    given.replaceWith(own);
  }
}

/** The attributes that give elements a look. */
const LOOKS = ["style", "class", "hidden", "color", "bgcolor", "size", "width", "height"];

/** Takes away what the sender's formatting says. */
export function unformat(body: HTMLElement): void {
  for (const sheet of body.querySelectorAll("style")) sheet.remove();
  for (const element of body.querySelectorAll("*")) {
    for (const name of LOOKS) element.removeAttribute(name);
  }
}
