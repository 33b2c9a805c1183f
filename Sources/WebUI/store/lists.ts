import type { Filter } from "../jmap/types.ts";
import type { Parts } from "./parts.ts";
import { ListState } from "./listState.ts";
import { type Scope, scopeOf } from "./scope.ts";
import { Snippets } from "./snippets.ts";
import { PAGE } from "./threadList.ts";

/** So many lists are kept as they were left. */
const KEPT = 6;

export interface Shown {
  state: ListState;
  snippets: Snippets | null;
}

/** The lists that were looked at lately, as they were left. */
export class Lists {
  readonly #kept = new Map<string, Shown>();
  /** Asked for before there was a screen to show it. */
  #early: string | null = null;

  constructor(private readonly app: Parts) {}

  /**
   * Asks for the list that is shown first, so that the program is at it before there is a page.
   *
   * @returns when it is there, or could not be loaded
   */
  async begin(): Promise<void> {
    const { place } = this.app.router;
    const [first = "mail", accountId = "all"] = place.path;
    // What the mailboxes of one account are is not known yet.
    if (first !== "mail" || accountId !== "all") return;
    const scope = scopeOf(this.app, place, place.query.get("category"));
    const { list } = this.open(scope, null).state;
    this.#early = keyOf(scope, null);
    await new Promise<void>((resolve) => {
      const look = () => {
        if (list.status === "loading") return;
        stop();
        resolve();
      };
      const stop = list.subscribe(look);
      look();
    });
  }

  /** The list for a scope; a list that was shown before is refreshed. */
  open(scope: Scope, filter: Filter | null): Shown {
    const key = keyOf(scope, filter);
    const found = this.#kept.get(key);
    this.#kept.delete(key);
    const shown = found ?? make(this.app, scope, filter);
    this.#kept.set(key, shown);
    for (const old of [...this.#kept.keys()].slice(0, -KEPT)) this.#kept.delete(old);
    if (!found) shown.state.list.want(0, PAGE);
    else if (this.#early !== key) shown.state.list.refresh();
    this.#early = null;
    return shown;
  }
}

export function keyOf(scope: Scope, filter: Filter | null): string {
  return JSON.stringify([scope.accountId, scope.mailboxId, scope.sources, filter]);
}

function make(app: Parts, scope: Scope, filter: Filter | null): Shown {
  if (filter === null) return { state: new ListState(app, scope), snippets: null };
  const sources = scope.sources.map((source) => ({
    accountId: source.accountId,
    filter: Object.keys(source.filter).length === 0
      ? filter
      : { operator: "AND" as const, conditions: [source.filter, filter] },
  }));
  return { state: new ListState(app, { ...scope, sources }), snippets: new Snippets(app.client, filter) };
}
