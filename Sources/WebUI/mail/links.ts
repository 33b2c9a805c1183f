import { hostsIn, isIPv4, readByBrowser } from "./hosts.ts";
import { addressesIn, decoded, isSameMailbox, otherNumber, recipientsOf } from "./recipients.ts";
import type { Suffixes } from "./suffixes.ts";

/** The apparent target of a link, and the real one. */
export interface Deception {
  /** The host, mail address or telephone number that a person takes it for. */
  says: string;
  /** The one that it would open. */
  opens: string;
  /** For a person. */
  sentence: string;
}

/**
 * Compares the visible text with the target.
 *
 * @param readings the possible readings of the link's text
 * @param warnings warnings about look-alike hosts, keyed by host
 * @returns null if the link is honest, or names no host
 */
export function deception(
  readings: string[],
  address: string,
  suffixes: Suffixes,
  warnings: Record<string, string> = {},
): Deception | null {
  const url = parsed(address);
  if (!url) return null;
  if (url.protocol === "mailto:") return aboutMail(readings, url, suffixes);
  if (url.protocol === "tel:") return aboutCall(readings, decoded(url.pathname));
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  const opens = url.hostname.replace(/\.$/, "");
  for (const reading of readings) {
    for (const named of hostsIn(reading, suffixes)) {
      if (belongTogether(named.host, opens, suffixes)) continue;
      return {
        says: named.text,
        opens,
        sentence: `The text says ${named.text}, but this link opens ${opens}.`,
      };
    }
  }
  const warning = warnings[opens];
  if (warning) return { says: opens, opens, sentence: `This link opens ${opens}. ${warning}` };
  // `https://:bank.com@evil.example`: a password stands before the host as well.
  const says = [url.username, url.password].map(decoded).filter(Boolean).join(":");
  if (says === "") return null;
  return { says, opens, sentence: `The address begins with ${says}, but this link opens ${opens}.` };
}

/** A link whose text is too long to be compared. */
export function unread(address: string): Deception {
  const opens = parsed(address)?.hostname || address;
  return { says: opens, opens, sentence: `The text of this link is too long to check. It opens ${opens}.` };
}

/** Everyone a link writes to. */
function aboutMail(readings: string[], url: URL, suffixes: Suffixes): Deception | null {
  const recipients = recipientsOf(url);
  const writesTo = addressesIn(recipients);
  const [opens] = writesTo;
  if (!opens) return null;
  for (const reading of readings) {
    const named = addressesIn(reading).filter((address) => hostsIn(address, suffixes).length > 0);
    const says = named.find((one) => !writesTo.some((other) => isSameMailbox(one, other))) ??
      hostsBesides(reading, writesTo, suffixes)[0] ??
      (writesTo.every((one) => named.some((other) => isSameMailbox(one, other))) ? undefined : named[0]);
    if (says === undefined) continue;
    return { says, opens, sentence: `The text says ${says}, but this link writes to ${recipients}.` };
  }
  return null;
}

/** The hosts that a text names outside of mail addresses, other than those of the recipients. */
function hostsBesides(reading: string, writesTo: string[], suffixes: Suffixes): string[] {
  const domains = writesTo.map((address) => address.slice(address.lastIndexOf("@") + 1))
    .map((domain) => readByBrowser(domain) ?? domain);
  return hostsIn(reading.replace(/[^\s@<>()"]+@/g, " "), suffixes)
    .filter(({ host }) => !domains.some((domain) => belongTogether(host, domain, suffixes)))
    .map(({ text }) => text);
}

/** The number that a link calls. */
function aboutCall(readings: string[], opens: string): Deception | null {
  for (const reading of readings) {
    const says = otherNumber(reading, opens);
    if (says !== null) {
      return { says, opens, sentence: `The text says ${says}, but this link calls ${opens}.` };
    }
  }
  return null;
}

function belongTogether(one: string, other: string, suffixes: Suffixes): boolean {
  if (one === other) return true;
  if ([one, other].some((host) => isIPv4(host) || host.startsWith("["))) return false;
  return suffixes.registrable(one) === suffixes.registrable(other);
}

function parsed(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
