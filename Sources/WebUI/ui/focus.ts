/**
 * Gives the focus back to where it was, or to the list of conversations if that is gone: so that keys and screen
 * readers never stand nowhere. What somebody has gone to since keeps it.
 */
export function giveFocusBack(before: Element | null = null): void {
  // After what has closed is gone from the document, and what takes its place is there.
  setTimeout(() => {
    const now = document.activeElement;
    if (now !== null && now !== document.body) return;
    const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
    const place = isThere ? before : document.querySelector<HTMLElement>(".thread-list [role=listbox]");
    place?.focus({ preventScroll: true });
  });
}
