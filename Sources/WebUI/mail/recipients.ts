import { plain } from "./hosts.ts";

/** A person may be named by an address or a number: whether a link reaches the same one is told by these alone. */

const ADDRESS = /[\p{L}\p{N}\p{M}!#$%&*+/=?^_{|}~.'-]+@[\p{L}\p{N}\p{M}_.-]+/gu;
const NUMBER = /[+\d][\d\s().\/-]{5,}\d/g;
/** A text with fewer digits is no telephone number. */
const LEAST_DIGITS = 7;

/** Everyone that a `mailto:` address writes to, copies included. */
export function recipientsOf(url: URL): string {
  // A plus is part of an address here.
  const fields = [...new URLSearchParams(url.search.replaceAll("+", "%2B"))];
  const named = fields.filter(([name]) => /^(to|cc|bcc)$/i.test(name)).map(([, value]) => value);
  return [decoded(url.pathname), ...named].filter(Boolean).join(", ");
}

/** The mail addresses in a text, in small letters. */
export function addressesIn(text: string): string[] {
  return [...plain(text).matchAll(ADDRESS)].map(([address]) =>
    address.replace(/^['.]+|[.-]+$/g, "").toLowerCase()
  );
}

/** Whether two addresses deliver to one mailbox: what follows a plus is for its owner to sort by. */
export function isSameMailbox(one: string, other: string): boolean {
  return one.replace(/\+[^@]*/, "") === other.replace(/\+[^@]*/, "");
}

/**
 * The telephone number in a text, if it has any and all of them differ from the one that is called. They may be
 * written with or without the code of the country.
 */
export function otherNumber(text: string, called: string): string | null {
  const calls = digits(called.replace(/[;,pwx].*/i, ""));
  const numbers = (text.normalize("NFKC").match(NUMBER) ?? []).filter((number) =>
    digits(number).length >= LEAST_DIGITS
  );
  const isSame = (number: string) => calls.endsWith(digits(number)) || digits(number).endsWith(calls);
  return numbers.some(isSame) ? null : numbers[0]?.trim() ?? null;
}

function digits(number: string): string {
  return number.replace("(0)", "").replace(/\D/g, "").replace(/^0+/, "");
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
