import { type ComponentType, useEffect, useState } from "react";
import { FailedState } from "./states.tsx";

/** A part of the page that the first view does not need, and that is loaded on demand or ahead of it. */
export class Later<P extends object> {
  loaded: ComponentType<P> | null = null;
  /** Set by the module that knows which file it is in. */
  source: () => Promise<ComponentType<P>>;
  #loading: Promise<ComponentType<P>> | null = null;

  constructor(
    source: () => Promise<ComponentType<P>> = () => Promise.reject(new Error("There is no source.")),
  ) {
    this.source = source;
  }

  load(): Promise<ComponentType<P>> {
    this.#loading ??= this.source().then((part) => this.loaded = part, (error) => {
      // The next one who needs it tries again.
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  /** Loads it before it is needed. If that fails, it is tried again when it is. */
  prepare(): void {
    this.load().catch(() => {});
  }
}

/** The part once it is loaded; at once if it was before. */
export function useLater<P extends object>(
  part: Later<P>,
): { Loaded: ComponentType<P> | null; hasFailed: boolean } {
  const [, setLoaded] = useState(part.loaded !== null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!part.loaded && !hasFailed) part.load().then(() => setLoaded(true), () => setFailed(true));
  }, [part, hasFailed]);
  return { Loaded: part.loaded, hasFailed };
}

/** In place of a part that cannot be loaded, such as one of an older program. */
export function NotLoaded({ what, isScreen = false }: { what: string; isScreen?: boolean }) {
  return (
    <FailedState
      isScreen={isScreen}
      title={`${what} could not be loaded`}
      reason="mailkernel does not respond, or was updated. Loading the page again may help."
      retry={() => location.reload()}
    />
  );
}

/** Does something when the browser has nothing else to do, and soon in any case. */
export function whenIdle(work: () => void): () => void {
  // Safari has no such callback.
  if (!("requestIdleCallback" in globalThis)) {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(work, { timeout: 1000 });
  return () => cancelIdleCallback(request);
}

let isDrawn = false;

/** False for the first screen until it is painted: what cannot be seen there yet is added then. */
export function useDrawn(): boolean {
  const [, setDrawn] = useState(isDrawn);
  useEffect(() => {
    if (isDrawn) return;
    return whenIdle(() => {
      isDrawn = true;
      setDrawn(true);
    });
  }, []);
  return isDrawn;
}
