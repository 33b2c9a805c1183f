import { RequestProblem } from "../jmap/errors.ts";

/** So much of a message is shown as text. */
const MOST_SOURCE = 1_000_000;

export interface Source {
  headers: string;
  body: string;
  isCut: boolean;
}

/** The beginning of a message as it was sent, as text that shows every sign. */
export async function loadSource(url: string, signal: AbortSignal): Promise<Source> {
  const headers = { Range: `bytes=0-${MOST_SOURCE - 1}` };
  const answer = await fetch(url, { credentials: "same-origin", headers, signal });
  if (!answer.ok) {
    throw new RequestProblem(answer.status, "about:blank", "The source could not be loaded.");
  }
  const bytes = await answer.arrayBuffer();
  const all = Number(/\/(\d+)$/.exec(answer.headers.get("Content-Range") ?? "")?.[1] ?? bytes.byteLength);
  const text = new TextDecoder().decode(bytes.slice(0, MOST_SOURCE));
  return { ...split(text), isCut: all > MOST_SOURCE };
}

/** The headers end with the first empty line. */
export function split(text: string): Pick<Source, "headers" | "body"> {
  const [headers = "", body = ""] = visible(text.replaceAll("\r\n", "\n")).split(/\n\n([^]*)/);
  return { headers, body };
}

// deno-lint-ignore no-control-regex
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Signs that cannot be seen, or that turn the order of others around, are named. */
export function visible(text: string): string {
  return text.replace(
    UNSEEN,
    (sign) => `⟨${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}
