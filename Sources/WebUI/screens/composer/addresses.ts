import type { Address } from "../../jmap/types.ts";
import { nameAndAddress } from "../../store/words.ts";

/** Parses typed or pasted text: `Ada <ada@example.com>, bob@example.com`. */
export function parseAddresses(text: string): Address[] {
  return split(text).map(parse).filter((address) => address.email !== "" || address.name !== null);
}

/**
 * A quick check whether an address could be valid. The program checks it thoroughly when it saves the draft.
 */
export function looksLikeAddress(email: string): boolean {
  const at = email.lastIndexOf("@");
  const [local, host] = [email.slice(0, at), email.slice(at + 1)];
  if (at < 1 || email.length > 254) return false;
  const isLocal = /^"(?:[^"\\]|\\.)+"$/.test(local) || /^[^\s@"(),:;<>[\]\\]+$/.test(local);
  return isLocal && /^(?:[^\s@.,;<>()[\]"]+\.)*[^\s@.,;<>()[\]"]+$|^\[[0-9a-fA-F:.IPv]+\]$/.test(host);
}

/** Whether only the program can tell if the address imitates another: it has the tables of letters that look alike. */
export function mayImitate({ name, email }: Address): boolean {
  return /[^\x21-\x7e]|xn--/i.test(email) || /[@＠﹫]/.test(name ?? "");
}

export function shownAddress(address: Address): string {
  return nameAndAddress(address);
}

/** Separators in quotes and angle brackets are part of the address. */
function split(text: string): string[] {
  const parts: string[] = [];
  let [part, isQuoted, isAngled] = ["", false, false];
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && sign === "<") isAngled = true;
    else if (!isQuoted && sign === ">") isAngled = false;
    if (!isQuoted && !isAngled && /[,;\n\r\t]/.test(sign)) {
      parts.push(part);
      part = "";
    } else part += sign;
  }
  return [...parts, part].flatMap(words);
}

/** `ada@example.com bob@example.com`, as columns of a table come. */
function words(part: string): string[] {
  const pieces = part.trim().split(/\s+/);
  return pieces.length > 1 && pieces.every(looksLikeAddress) ? pieces : [part];
}

function parse(part: string): Address {
  const text = part.trim();
  const angled = text.match(/^(.*?)\s*<\s*([^<>]*?)\s*>$/s);
  if (!angled) return { name: null, email: text.replace(/^mailto:/i, "") };
  const name = (angled[1] ?? "").trim().replace(/^"(.*)"$/s, "$1").replace(/\\(.)/g, "$1").trim();
  return { name: name || null, email: (angled[2] ?? "").replace(/^mailto:/i, "") };
}
