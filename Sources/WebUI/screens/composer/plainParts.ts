const ORIGINAL = /^On [^\n]*(?:\n[^\n>]+)?wrote:\s*\n\s*>|^>|^-{10} Forwarded message -{10}$/m;

/** Plain text above the original, without its signature; the signature; and the original. */
function parts(body: string): { own: string; signature: string; original: string } {
  const at = body.search(ORIGINAL);
  const before = at < 0 ? body : body.slice(0, at);
  const dashes = before.search(/^-- $/m);
  return {
    own: dashes < 0 ? before : before.slice(0, dashes),
    signature: dashes < 0 ? "" : before.slice(dashes + "-- ".length),
    original: at < 0 ? "" : body.slice(at),
  };
}

/** What the user wrote. */
export function ownText(body: string): string {
  return parts(body).own.trim();
}

/** Words alone: the program may break lines elsewhere, and add where a link leads. */
function wordsOf(signature: string): string {
  return signature.replace(/<[^<>\s]+>/g, "").replace(/\s+/g, " ").trim();
}

/** Puts another signature in the place of the one `before`; empty for none. One that was edited stays. */
export function withSignature(body: string, signature: string, before: string): string {
  const { own, signature: current, original } = parts(body);
  if (wordsOf(current) !== wordsOf(before)) return body;
  const text = own.replace(/\n+$/, "");
  const end = signature ? `\n\n-- \n${signature}` : "";
  return `${text}${end}${original ? "\n\n" : ""}${original}`;
}
