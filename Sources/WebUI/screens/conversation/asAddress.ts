import type { Address } from "../../jmap/types.ts";

/** Makes an element the place of an address: the right button has a menu for it. */
export function asAddress({ name, email }: Address) {
  return { "data-address": email, ...(name ? { "data-name": name } : {}) };
}
