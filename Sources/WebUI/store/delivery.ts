/** One step of a message from server to server, as the receiving one noted it (RFC 5321, section 4.4). */
export interface Step {
  from: string;
  by: string | null;
  isEncrypted: boolean;
  /** `TLS 1.3`, where it is noted. */
  version: string | null;
}

/**
 * The step on which a message came to the user's service, from what servers noted, the last one first.
 *
 * Steps within the service come after it, and are not what the user asks about. What is noted below it can be invented
 * by the sender. Null if there is no such step.
 */
export function deliveryOf(received: string[]): Step | null {
  for (const text of received) {
    const field = text.replace(/\s+/g, " ").trim();
    const plain = withoutComments(field);
    const from = /^from (\S+)/i.exec(plain)?.[1];
    const by = /(?:^| )by (\S+)/i.exec(plain)?.[1] ?? null;
    const protocol = /(?:^| )with (\S+)/i.exec(plain)?.[1] ?? "";
    if (!from || isWithin(protocol) || isPrivate(field) || by && isSameOrganization(from, by)) continue;
    const version = versionIn(field);
    return {
      from,
      by,
      version,
      isEncrypted: version !== null || isSecure(protocol) || /\bcipher\b/i.test(field),
    };
  }
  return null;
}

function withoutComments(field: string): string {
  let [before, plain] = ["", field];
  while (before !== plain) [before, plain] = [plain, plain.replace(/\([^()]*\)/g, " ")];
  return plain.replace(/\s+/g, " ");
}

/** The protocols of RFC 3848 and RFC 6531 that say that TLS was used. */
function isSecure(protocol: string): boolean {
  return /^(?:utf8)?(?:e?smtp|lmtp)sa?$/i.test(protocol);
}

/** What hands mail on within a service. */
function isWithin(protocol: string): boolean {
  return /^(?:utf8)?lmtp|^(?:local|https?|mapi|storedriver)/i.test(protocol);
}

function isPrivate(field: string): boolean {
  const [sender = ""] = field.split(/ by /i);
  return /[[(:](?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|::1[\])]|f[cd][0-9a-f]{2}:)|\blocalhost\b/i
    .test(sender);
}

function isSameOrganization(one: string, other: string): boolean {
  return organization(one) === organization(other);
}

/** The end of a host name that one organization has, such as `example.co.uk`. */
function organization(host: string): string {
  const labels = host.toLowerCase().replace(/[^a-z0-9.-]/g, "").split(".").filter(Boolean);
  const [second = "", top = ""] = labels.slice(-2);
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join(".");
}

/** `TLS1_3`, `TLSv1.3` and `TLS 1.3` are one. */
function versionIn(field: string): string | null {
  const found = /\bTLSv?[ _]?1(?:[._](\d))?\b/i.exec(field);
  return found && `TLS 1.${found[1] ?? 0}`;
}
