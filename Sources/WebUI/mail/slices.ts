/** So many milliseconds may pass before the browser draws and listens again. */
const SLICE = 30;

/**
 * Goes through many items in slices of time. The first slice is done at once, so that little work leaves nothing for
 * later.
 *
 * @param work is called for each slice, and takes items until there are no more
 * @returns stops, whatever is left
 */
export function inSlices<Item>(
  items: Iterable<Item>,
  work: (some: Iterable<Item>) => void,
  now: () => number = () => performance.now(),
): () => void {
  const all = items[Symbol.iterator]();
  let next = all.next();
  let waiting: ReturnType<typeof setTimeout> | undefined;
  function* slice(): Iterable<Item> {
    const until = now() + SLICE;
    // At least one, however slow it is.
    do {
      if (next.done) return;
      yield next.value;
      next = all.next();
    } while (now() < until);
  }
  const go = () => {
    work(slice());
    if (!next.done) waiting = setTimeout(go, 0);
  };
  go();
  return () => clearTimeout(waiting);
}
