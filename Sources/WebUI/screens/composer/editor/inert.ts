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
  return new DOMParser().parseFromString(policy.createHTML(quiet(html)), "text/html").body;
}
