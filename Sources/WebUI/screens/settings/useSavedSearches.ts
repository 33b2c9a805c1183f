import { useEffect } from "react";
import { useObservable } from "../../base/observable.ts";
import type { SavedSearch } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import type { SearchNames } from "./ruleWords.ts";

/** The saved searches, for the rules that use them. */
export function useSavedSearches(): SearchNames {
  const saved = useObservable(useApp().records<SavedSearch>("SavedSearch"));
  useEffect(() => {
    if (saved.status === "empty") saved.load();
  }, [saved]);
  return new Map(saved.list.map(({ id, name }) => [id, name]));
}
