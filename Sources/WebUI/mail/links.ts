import { hostsIn, isIPv4 } from "./hosts.ts";
import type { Suffixes } from "./suffixes.ts";

/** The apparent target of a link, and the real one. */
export interface Deception {
  /** The host that a person takes it for. */
  says: string;
  /** The host that would open. */
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
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (url.protocol === "mailto:") return aboutMail(readings, url, suffixes);
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

/** The recipient of a link. */
function aboutMail(readings: string[], url: URL, suffixes: Suffixes): Deception | null {
  const to = [url.pathname, ...url.searchParams.getAll("to")].map(decoded).filter(Boolean).join(", ");
  const domains = [...to.matchAll(/@([^,;>\s]+)/g)].map(([, domain = ""]) => domain);
  const [opens] = domains;
  if (!opens) return null;
  for (const reading of readings) {
    for (const named of hostsIn(reading.replace(/[^\s@<>()"]+@/g, " "), suffixes)) {
      if (domains.some((domain) => belongTogether(named.host, domain.toLowerCase(), suffixes))) continue;
      return {
        says: named.text,
        opens,
        sentence: `The text says ${named.text}, but this link writes to ${to}.`,
      };
    }
  }
  return null;
}

function belongTogether(one: string, other: string, suffixes: Suffixes): boolean {
  if (one === other) return true;
  if ([one, other].some((host) => isIPv4(host) || host.startsWith("["))) return false;
  return suffixes.registrable(one) === suffixes.registrable(other);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
