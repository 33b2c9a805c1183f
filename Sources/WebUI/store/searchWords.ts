import { useEffect } from "react";
import { Observable, useObservable } from "../base/observable.ts";
import type { JMAPClient } from "../jmap/client.ts";
import type { SearchReading } from "../jmap/vendor.ts";

/** So many are remembered. */
const KEPT = 30;
const NOTHING: SearchReading = { problem: null, chips: [], remarks: [], marks: [] };

/** What the program understood of searches. */
export class SearchWords extends Observable {
  readonly #known = new Map<string, SearchReading>();
  readonly #asked = new Set<string>();
  #newest = NOTHING;

  constructor(private readonly client: JMAPClient) {
    super();
  }

  /** Until the program answers, what it understood last: what is typed changes little at a time. */
  get(text: string): SearchReading & { isCurrent: boolean } {
    if (text.trim() === "") return { ...NOTHING, isCurrent: true };
    const known = this.#known.get(text);
    return { ...(known ?? this.#newest), isCurrent: known !== undefined };
  }

  async want(text: string): Promise<void> {
    if (text.trim() === "" || this.#known.has(text) || this.#asked.has(text)) return;
    this.#asked.add(text);
    const call = this.client.call<SearchReading>("SearchText/parse", { accountId: "program", text });
    const answer = await call.catch(() => null);
    this.#asked.delete(text);
    // Without an answer the results are shown all the same, only without an explanation.
    if (!answer) return;
    this.#known.set(text, answer);
    for (const old of [...this.#known.keys()].slice(0, -KEPT)) this.#known.delete(old);
    this.#newest = answer;
    this.changed();
  }
}

/** What the program understood of a search, looked at while it is shown. */
export function useReading(words: SearchWords, text: string): SearchReading & { isCurrent: boolean } {
  useObservable(words);
  useEffect(() => {
    words.want(text);
  }, [words, text]);
  return words.get(text);
}
