import { useEffect, useRef } from "react";
import type { App } from "../store/app.ts";
import type { Offer } from "./offers.ts";

type Source = () => Offer[];

const SOURCES = new WeakMap<App, Set<Source>>();

/** What the screens that are open offer to the command palette. */
export function commandsNow(app: App): Offer[] {
  return [...SOURCES.get(app) ?? []].flatMap((source) => source());
}

/** Offers this as long as the component is shown. It is asked for when the palette opens. */
export function useCommands(app: App, source: Source): void {
  const newest = useRef(source);
  newest.current = source;
  useEffect(() => {
    const sources = SOURCES.get(app) ?? new Set();
    SOURCES.set(app, sources);
    const mine = () => newest.current();
    sources.add(mine);
    return () => void sources.delete(mine);
  }, [app]);
}
