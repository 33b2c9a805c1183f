/** The maximum height of a frame; longer content scrolls inside. */
const HIGHEST = 100_000;
/** So often the height of a message may change without a cause other than the height that its frame was given. */
const OWN_CHANGES = 5;

/**
 * Measures a message and reports the height for its frame.
 *
 * A message can depend on the height of its frame and grow with it. The program removes such lengths;
 * remaining ones are stopped here: after a few changes without a known cause, the height stays, and the
 * message scrolls.
 *
 * @returns stops measuring
 */
export function watchHeight(inside: Document, onHeight: (pixels: number) => void): () => void {
  const root = inside.documentElement;
  let height = -1;
  let width = -1;
  let changes = 0;
  const measure = () => {
    // With its scroll bar, which comes and goes with the height.
    const outer = inside.defaultView?.innerWidth ?? 0;
    if (outer !== width) changes = 0;
    width = outer;
    const natural = Math.ceil(root.getBoundingClientRect().height);
    if (changes > OWN_CHANGES || Math.min(HIGHEST, natural) === height) return;
    changes += 1;
    height = Math.min(HIGHEST, natural);
    const scrolls = natural > HIGHEST || changes > OWN_CHANGES;
    if (scrolls) root.style.setProperty("overflow", "auto", "important");
    else root.style.removeProperty("overflow");
    // That was no cause.
    causes.takeRecords();
    onHeight(height);
  };
  /** Loaded images and expanded parts are known causes of changes. */
  const explain = () => {
    changes = 0;
    measure();
  };
  const causes = new MutationObserver(explain);
  causes.observe(inside, { attributes: true, childList: true, characterData: true, subtree: true });
  const observer = new ResizeObserver(measure);
  observer.observe(root);
  inside.addEventListener("load", explain, true);
  inside.addEventListener("toggle", explain, true);
  return () => {
    observer.disconnect();
    causes.disconnect();
    inside.removeEventListener("load", explain, true);
    inside.removeEventListener("toggle", explain, true);
  };
}
