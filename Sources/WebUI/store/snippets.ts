import type { JMAPClient } from "../jmap/client.ts";
import type { Filter, Id, SearchSnippet } from "../jmap/types.ts";
import { Observable } from "../base/observable.ts";
import type { Row } from "./rows.ts";
import { inOrder } from "./words.ts";

/** A piece of text, marked or not. */
export interface Piece {
  text: string;
  isMarked: boolean;
}

const MOST_TRIES = 3;
/** So many characters before the first match leave room for it in a narrow row. */
const LONGEST_LEAD = 16;

/** The matches in the visible rows. */
export class Snippets extends Observable {
  readonly #known = new Map<string, SearchSnippet>();
  readonly #asked = new Set<string>();
  #failures = 0;

  constructor(private readonly client: JMAPClient, private readonly filter: Filter) {
    super();
  }

  get(row: Row): SearchSnippet | undefined {
    return this.#known.get(`${row.accountId}/${row.emailId}`);
  }

  async want(rows: Row[]): Promise<void> {
    const missing = rows.filter((row) => !this.#asked.has(`${row.accountId}/${row.emailId}`));
    for (const row of missing) this.#asked.add(`${row.accountId}/${row.emailId}`);
    const accounts = [...new Set(missing.map((row) => row.accountId))];
    await Promise.all(accounts.map(async (accountId) => {
      const emailIds: Id[] = missing.filter((row) => row.accountId === accountId).map((row) => row.emailId);
      const answer = await this.client.call<{ list: SearchSnippet[] }>("SearchSnippet/get", {
        accountId,
        filter: this.filter,
        emailIds,
      }).catch(() => {
        // Without them the rows are as in any list.
        for (const id of emailIds) this.#asked.delete(`${accountId}/${id}`);
        this.#failures += 1;
        if (this.#failures <= MOST_TRIES) setTimeout(() => this.want(rows), 1000 * this.#failures);
        return { list: [] };
      });
      for (const snippet of answer.list) this.#known.set(`${accountId}/${snippet.emailId}`, snippet);
    }));
    if (missing.length > 0) this.changed();
  }
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Splits text with `<mark>` and entities (RFC 8621, 5) into pieces, so that no HTML is inserted. */
export function pieces(html: string): Piece[] {
  const plain = (text: string) =>
    text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name: string) => {
      const code = hex ? parseInt(hex, 16) : decimal ? parseInt(decimal, 10) : NaN;
      if (!Number.isNaN(code)) return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      return ENTITIES[name.toLowerCase()] ?? whole;
    });
  return html.split(/(<mark>.*?<\/mark>)/s).filter((part) => part !== "").map((part) => {
    const inside = /^<mark>(.*)<\/mark>$/s.exec(part)?.[1];
    return { text: inOrder(plain(inside ?? part)), isMarked: inside !== undefined };
  });
}

/** The pieces from shortly before the first match, which a row would otherwise cut off. */
export function fromMatch(all: Piece[]): Piece[] {
  const [lead, ...rest] = all;
  const letters = [...lead?.text ?? ""];
  if (lead === undefined || lead.isMarked || rest.length === 0 || letters.length <= LONGEST_LEAD) return all;
  const words = letters.slice(-LONGEST_LEAD).join("").replace(/^\S*\s+(?=\S)/, "");
  return [{ text: `…${words}`, isMarked: false }, ...rest];
}
