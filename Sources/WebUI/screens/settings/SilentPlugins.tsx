import { useEffect } from "react";
import type { Plugin } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { Banner } from "../../ui/states.tsx";

const OFFERS = { model: "models", account: "account types" };

interface SilentPluginsProps {
  kind: keyof typeof OFFERS;
  /** What came from these plugins: asked again after each. */
  after: unknown;
}

/** Names the plugins that do not respond, whose part of a list may be missing or outdated. */
export function SilentPlugins({ kind, after }: SilentPluginsProps) {
  const plugins = useObservable(useApp().records<Plugin>("Plugin"));
  useEffect(() => {
    plugins.load();
  }, [plugins, after]);
  const silent = plugins.list.filter(({ kind: its, state, reason }) =>
    its === kind && state === "loaded" && reason
  );
  return (
    <>
      {silent.map(({ id, name }) => (
        <Banner key={id} icon="warning" kind="problem">
          The plugin “{name ?? id}” is not responding. Its {OFFERS[kind]} may be missing or out of date here.
        </Banner>
      ))}
    </>
  );
}
