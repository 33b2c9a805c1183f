/**
 * Returns the focus to its previous element, or to the list of conversations if that is gone, so that keys
 * and screen readers always have a context. If the focus has moved elsewhere, it stays there.
 */
export function giveFocusBack(before: Element | null = null): void {
  // After the closed element was removed and its replacement rendered.
  setTimeout(() => {
    const now = document.activeElement;
    if (now !== null && now !== document.body) return;
    const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
    const place = isThere ? before : document.querySelector<HTMLElement>(".thread-list [role=listbox]");
    place?.focus({ preventScroll: true });
  });
}
