const SCHEME = /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi;
const COLORS = /(?:^|[;{\s])(?:background(?:-color)?|color)\s*:/i;

/** The conditions as their senders wrote them. */
const written = new WeakMap<CSSMediaRule, string>();

/** Whether a message has colors of its own for the dark. */
export function hasDarkStyle(inside: Document): boolean {
  return mediaRules(inside).some((rule) =>
    /prefers-color-scheme\s*:\s*dark/i.test(conditionOf(rule)) &&
    [...rule.cssRules].some((inner) => COLORS.test(inner.cssText.replace(/^[^{]*/, "")))
  );
}

/**
 * Has the rules that a message has for dark or light surroundings follow the theme that is shown, which the browser's
 * own answer may not be. Paper is light.
 */
export function setScheme(inside: Document, isDark: boolean): void {
  for (const rule of mediaRules(inside)) {
    const condition = conditionOf(rule);
    if (!condition.match(SCHEME)) continue;
    // Only a screen is drawn again.
    const onScreen = "(update: fast)";
    const onPaper = "(update: none)";
    rule.media.mediaText = condition.replace(SCHEME, (_, scheme: string) => {
      if (scheme.toLowerCase() === "dark") return isDark ? onScreen : "(width < 0px)";
      return isDark ? onPaper : "(width >= 0px)";
    });
  }
}

function conditionOf(rule: CSSMediaRule): string {
  const known = written.get(rule) ?? rule.media.mediaText;
  written.set(rule, known);
  return known;
}

/** The program leaves no rules within other rules. */
function mediaRules(inside: Document): CSSMediaRule[] {
  return [...inside.body.querySelectorAll("style")].flatMap(({ sheet }) => [...sheet?.cssRules ?? []])
    .filter((rule): rule is CSSMediaRule => "media" in rule);
}
