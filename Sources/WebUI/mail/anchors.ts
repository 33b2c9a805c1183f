/** Links that lead to a place in the same message. */

/** The place that a link names: an empty text for the top; null for a link that leads elsewhere. */
export function placeOf(link: Element): string | null {
  const href = link.getAttribute("href") ?? "";
  return href.startsWith("#") ? href.slice(1) : null;
}

/**
 * The element that a place is at, as a browser would find it; null where the message has no such place.
 *
 * @param top where the message begins
 */
export function targetOf(place: string, inside: Document, top: Element): Element | null {
  for (const name of new Set([place, decoded(place)])) {
    if (name === "") continue;
    const found = inside.getElementById(name) ?? inside.getElementsByName(name)[0];
    if (found) return found;
  }
  return place === "" || decoded(place).toLowerCase() === "top" ? top : null;
}

/** Whether it is there to be seen, and not within something folded. */
export function isShown(target: Element): boolean {
  return target.getClientRects().length > 0;
}

/** Brings a place into view, through the conversation around the frame too, and takes the focus there. */
export function goTo(target: Element): void {
  for (let at = target.parentElement; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.setAttribute("open", "");
  }
  if (!target.hasAttribute("tabindex") && !target.matches("a[href], summary")) {
    target.setAttribute("tabindex", "-1");
  }
  (target as HTMLElement).focus({ preventScroll: true });
  target.scrollIntoView({ block: "start", inline: "nearest" });
}

/** Follows such links: the browser would open the frame's empty document in a tab. */
export function watchPlaces(inside: Document, signal: AbortSignal, follow: (place: string) => void): void {
  for (const type of ["click", "auxclick"]) {
    inside.addEventListener(type, (event) => {
      const link = (event.target as Element | null)?.closest?.("a[href]");
      const place = link ? placeOf(link) : null;
      if (place === null) return;
      event.preventDefault();
      if (type === "click") follow(place);
    }, { signal });
  }
}

function decoded(place: string): string {
  try {
    return decodeURIComponent(place);
  } catch {
    return place;
  }
}
