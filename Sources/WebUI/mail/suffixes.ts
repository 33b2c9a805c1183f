/** Top-level names that the list does not have, because they are not on the Internet or only for examples. */
const OWN_TOPS = ["example", "test", "invalid", "localhost", "local", "internal", "home", "lan", "onion"];

/**
 * The public suffix list: suffixes such as `com`, `co.uk` or `github.io` under which anyone can register a
 * name. Two hosts belong together if they share the name below a suffix.
 */
export class Suffixes {
  readonly #rules: Set<string>;
  readonly #tops: Set<string> | null;

  /** @param text one rule per line. Without a rule, every ending counts as an existing suffix. */
  constructor(text: string) {
    const rules = text.split("\n").filter((line) => line !== "" && !line.startsWith("//")).map(inASCII);
    this.#rules = new Set(rules);
    this.#tops = rules.length === 0 ? null : new Set([...OWN_TOPS, ...rules.map(lastLabel)]);
  }

  /** Whether host names end with this label. */
  hasTop(label: string): boolean {
    return this.#tops ? this.#tops.has(label) : /^[a-z]{2,}$|^xn--/.test(label);
  }

  /** The same for a label with `?` in the place of letters that are not known. */
  hasTopLike(pattern: string): boolean {
    if (!this.#tops) return /^[a-z?]{2,}$/.test(pattern);
    return [...this.#tops].some((top) =>
      top.length === pattern.length &&
      [...pattern].every((letter, at) => letter === "?" || letter === top[at])
    );
  }

  /** What the owner of a host has registered: `bank.example` for `www.login.bank.example`. */
  registrable(host: string): string {
    const labels = host.split(".");
    for (let at = 0; at < labels.length; at += 1) {
      const name = labels.slice(at).join(".");
      const above = labels.slice(at + 1).join(".");
      // An exception of a rule with a wildcard is registrable itself.
      if (this.#rules.has(`!${name}`)) return name;
      if (this.#rules.has(name) || this.#rules.has(`*.${above}`)) {
        return labels.slice(Math.max(0, at - 1)).join(".");
      }
    }
    return labels.slice(-2).join(".");
  }
}

function lastLabel(rule: string): string {
  return rule.slice(rule.lastIndexOf(".") + 1);
}

function inASCII(rule: string): string {
  const [, mark = "", name = rule] = /^(!|\*\.)?(.*)$/u.exec(rule.trim()) ?? [];
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(name)) return mark + name;
  try {
    return mark + new URL(`http://${name}`).hostname;
  } catch {
    return rule;
  }
}
