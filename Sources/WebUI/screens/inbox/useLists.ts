import { useEffect, useMemo, useRef } from "react";
import type { Filter } from "../../jmap/types.ts";
import { type App, useApp } from "../../store/app.ts";
import { keyOf, type Shown } from "../../store/lists.ts";
import type { ListState } from "../../store/listState.ts";
import { useObservable } from "../../base/observable.ts";
import type { Scope } from "../../store/scope.ts";

/** What changes within this time is asked for once. */
const CALM = 60;

/** The list for the current scope, updated while it is shown, and whether the program is still to answer. */
export function useList(scope: Scope, filter: Filter | null): Shown & { isWaiting: boolean } {
  const app = useApp();
  const last = useRef<Shown | null>(null);
  const asked = useMemo(() => app.lists.open(scope, filter), [keyOf(scope, filter), app]);
  useObservable(asked.state.list);
  useKeptUpToDate(app, asked.state);

  // While the user types, the last results stay until the next arrive.
  const isWaiting = asked.state.list.status === "loading";
  if (!isWaiting || !asked.snippets || !last.current?.snippets) last.current = asked;
  return { ...last.current, isWaiting };
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
