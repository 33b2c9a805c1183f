import { useEffect, useMemo, useRef } from "react";
import type { Filter } from "../../jmap/types.ts";
import { type App, useApp } from "../../store/app.ts";
import { ListState } from "../../store/listState.ts";
import { useObservable } from "../../store/observable.ts";
import { type Scope } from "../../store/scope.ts";
import { Snippets } from "../../store/snippets.ts";

/** So many lists are kept as they were left. */
const KEPT = 6;
/** What changes within this time is asked for once. */
const CALM = 60;

export interface Shown {
  state: ListState;
  snippets: Snippets | null;
}

/** The list for what is looked at, kept up to date while it is shown. */
export function useList(scope: Scope, filter: Filter | null): Shown {
  const app = useApp();
  const kept = useRef(new Map<string, Shown>());
  const last = useRef<Shown | null>(null);
  const key = JSON.stringify([scope.accountId, scope.mailboxId, scope.sources, filter]);
  const asked = useMemo(() => {
    const found = kept.current.get(key);
    kept.current.delete(key);
    const shown = found ?? make(app, scope, filter);
    kept.current.set(key, shown);
    for (const old of [...kept.current.keys()].slice(0, -KEPT)) kept.current.delete(old);
    if (found) shown.state.list.refresh();
    else shown.state.list.want(0, 25);
    return shown;
  }, [key, app]);
  useObservable(asked.state.list);
  useKeptUpToDate(app, asked.state);

  // While somebody types, what was found last stays until the next is there.
  const isWaiting = asked.snippets !== null && asked.state.list.status === "loading";
  if (!isWaiting || !last.current?.snippets) last.current = asked;
  return last.current;
}

function make(app: App, scope: Scope, filter: Filter | null): Shown {
  if (filter === null) return { state: new ListState(app, scope), snippets: null };
  const sources = scope.sources.map((source) => ({
    accountId: source.accountId,
    filter: Object.keys(source.filter).length === 0
      ? filter
      : { operator: "AND" as const, conditions: [source.filter, filter] },
  }));
  return { state: new ListState(app, { ...scope, sources }), snippets: new Snippets(app.client, filter) };
}

function useKeptUpToDate(app: App, state: ListState): void {
  useEffect(() => {
    app.actions.lists.add(state.list);
    let timer: number | undefined;
    const stop = app.onChange((accountId, changed) => {
      const concerns = "Email" in changed || "Category" in changed;
      if (!concerns || !state.scope.sources.some((source) => source.accountId === accountId)) {
        return;
      }
      clearTimeout(timer);
      timer = setTimeout(() => state.list.refresh(), CALM);
    });
    return () => {
      app.actions.lists.delete(state.list);
      clearTimeout(timer);
      stop();
    };
  }, [app, state]);
}
