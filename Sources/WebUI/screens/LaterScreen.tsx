import { type ComponentType, useEffect, useState } from "react";
import { FailedState, Spinner } from "../ui/states.tsx";
import "./laterScreens.css";

/** Loads a screen that the mail does not wait for. */
export class ScreenLoader {
  #loading: Promise<ComponentType> | null = null;
  loaded: ComponentType | null = null;

  constructor(private readonly source: () => Promise<ComponentType>) {}

  load(): Promise<ComponentType> {
    this.#loading ??= this.source().then((screen) => this.loaded = screen, (error) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }
}

/** A screen once it is loaded; at once if it was before. */
export function LaterScreen({ loader }: { loader: ScreenLoader }) {
  const [, setLoaded] = useState(loader.loaded !== null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!loader.loaded && !hasFailed) loader.load().then(() => setLoaded(true), () => setFailed(true));
  }, [loader, hasFailed]);
  if (loader.loaded) return <loader.loaded />;
  if (!hasFailed) return <Spinner label="Loading" />;
  return (
    <FailedState
      isScreen
      title="This screen could not be loaded"
      reason="mailkernel does not respond, or was updated. Loading the page again may help."
      retry={() => location.reload()}
    />
  );
}
