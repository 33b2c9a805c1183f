import { quiet } from "./quiet.ts";

interface Policies {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): {
    createHTML: (html: string) => string;
  };
}

const rules = { createHTML: (html: string) => html };
const { trustedTypes } = globalThis as { trustedTypes?: Policies };
const policy = trustedTypes?.createPolicy("editor", rules) ?? rules;

/**
 * Reads HTML into a document without a window: no script of it runs and nothing that it names is fetched.
 *
 * Only the schema takes content from there.
 */
export function readInert(html: string): HTMLElement {
  const { body } = new DOMParser().parseFromString(policy.createHTML(quiet(html)), "text/html");
  for (const signature of body.querySelectorAll("pre.moz-signature")) {
    signature.replaceWith(inLines(signature));
  }
  return body;
}

/** Thunderbird's signature of plain text, whose line ends are ends of lines. */
function inLines(signature: Element): Element {
  const lines = signature.ownerDocument.createElement("div");
  lines.className = signature.className;
  const texts = (signature.textContent ?? "").replace(/\s+$/, "").split("\n");
  texts.forEach((text, index) =>
    lines.append(...(index > 0 ? [signature.ownerDocument.createElement("br")] : []), text)
  );
  return lines;
}
