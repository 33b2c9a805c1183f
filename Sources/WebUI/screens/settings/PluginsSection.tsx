import { useEffect } from "react";
import type { Plugin } from "../../jmap/program.ts";
import { PROGRAM, useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { refuse, type SetAnswer } from "../../store/records.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Banner, FailedState, Spinner } from "../../ui/states.tsx";
import { Row, Section } from "./Row.tsx";
import { useSave } from "../../store/useTask.ts";

const KINDS = {
  account: "Mail accounts",
  model: "AI models",
  storage: "Storage",
  notification: "Notifications",
};
const STATES: Record<Plugin["state"], string> = {
  loaded: "Loaded",
  disabled: "Disabled",
  refused: "Not loaded",
  skippedInSafeMode: "Skipped in safe mode",
  available: "Available",
  skippedAfterCrash: "Skipped after a crash",
  skippedAsTooSlow: "Skipped because it starts too slowly",
};

/** What another start may change. */
const AGAIN = new Set<Plugin["state"]>([
  "disabled",
  "refused",
  "skippedAfterCrash",
  "skippedAsTooSlow",
]);

/** All plugins: description, state, and the servers they may contact. */
export function PluginsSection() {
  const plugins = useObservable(useApp().records<Plugin>("Plugin"));
  useEffect(() => {
    plugins.load();
  }, [plugins]);
  return (
    <Section id="plugins" title="Plugins">
      {plugins.status === "loading" && (
        <Row about="Plugins">
          <Spinner label="Loading plugins" />
        </Row>
      )}
      {plugins.status === "failed" && (
        <Row about="Plugins">
          <FailedState
            title="Plugins could not be loaded"
            reason={plugins.problem ?? ""}
            retry={() => plugins.load()}
          />
        </Row>
      )}
      {plugins.list.map((plugin) => <PluginRow key={plugin.id} plugin={plugin} />)}
    </Section>
  );
}

function PluginRow({ plugin }: { plugin: Plugin }) {
  const name = plugin.name ?? plugin.id;
  const isLoaded = plugin.state === "loaded";
  const facts = [
    plugin.kind ? KINDS[plugin.kind] : null,
    plugin.version ? `version ${plugin.version}` : null,
    plugin.author,
    plugin.license,
  ];
  return (
    <Row about={`${name} ${plugin.id} ${plugin.hosts.join(" ")} ${STATES[plugin.state]}`} className="plugin">
      <div className="account-head">
        <h3>{name}</h3>
        {plugin.state === "available"
          ? <p className="badge">{STATES.available}</p>
          : (
            <p className={`badge ${isLoaded ? "badge-good" : "badge-warning"}`}>
              <Icon name={isLoaded ? "check" : "warning"} /> {STATES[plugin.state]}
            </p>
          )}
      </div>
      <p className="field-hint">{facts.filter(Boolean).join(" · ")}</p>
      <p className="field-hint">{contacts(plugin.hosts)}</p>
      {plugin.reason && <Banner icon="warning" kind="problem">{plugin.reason}</Banner>}
      {plugin.state === "skippedInSafeMode" && (
        <p className="field-hint">Start mailkernel without --safe-mode to load it.</p>
      )}
      {plugin.state === "available" && (
        <p className="field-hint">
          To move your mail there, run “mailkernel storage move --to {plugin.id}” in a terminal.
        </p>
      )}
      {AGAIN.has(plugin.state) && <AgainButton plugin={plugin} name={name} />}
    </Row>
  );
}

function AgainButton({ plugin, name }: { plugin: Plugin; name: string }) {
  const app = useApp();
  const { save, isSaving } = useSave();
  const again = async () => {
    const isSure = await app.dialogs.confirm({
      title: `Try “${name}” again?`,
      text: "mailkernel restarts, which takes a moment. Your drafts are kept.",
      confirm: "Restart",
    });
    if (!isSure) return;
    await save(async () => {
      const update = { [plugin.id]: { state: "loaded" } };
      refuse(await app.client.call<SetAnswer>("Plugin/set", { accountId: PROGRAM, update }));
      app.toasts.show("mailkernel is restarting");
    });
  };
  return (
    <div>
      <Button icon="refresh" disabled={isSaving} onClick={again} aria-label={`Try ${name} again`}>
        {plugin.state === "disabled" ? "Load it" : "Try again"}
      </Button>
    </div>
  );
}

function contacts(hosts: string[]): string {
  if (hosts.length === 0) return "Makes no connections.";
  if (hosts.includes("*")) return "May contact any server that you enter.";
  return `May contact ${hosts.join(", ")}.`;
}
