import { useEffect } from "react";
import type { Plugin } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../store/observable.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Banner, FailedState, Spinner } from "../../ui/states.tsx";
import { Row, Section } from "./Row.tsx";

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
  skippedInSafeMode: "Left out in safe mode",
  skippedAfterCrash: "Left out after a crash",
};

/** Every plugin: what it is, what became of it, and whom it may contact. */
export function PluginsSection() {
  const plugins = useObservable(useApp().records<Plugin>("Plugin"));
  useEffect(() => {
    plugins.load();
  }, [plugins]);
  return (
    <Section id="plugins" title="Plugins">
      {plugins.status === "loading" && (
        <Row about="Plugins">
          <Spinner label="Loading the plugins" />
        </Row>
      )}
      {plugins.status === "failed" && (
        <Row about="Plugins">
          <FailedState
            title="The plugins could not be listed"
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
  return (
    <Row about={`${name} ${plugin.id} ${plugin.hosts.join(" ")} ${STATES[plugin.state]}`} className="plugin">
      <div className="account-head">
        <h3>{name}</h3>
        <p className={`badge ${isLoaded ? "badge-good" : "badge-warning"}`}>
          <Icon name={isLoaded ? "check" : "warning"} /> {STATES[plugin.state]}
        </p>
      </div>
      <p className="field-hint">
        {[
          plugin.kind ? KINDS[plugin.kind] : null,
          plugin.version ? `version ${plugin.version}` : null,
          plugin.author,
          plugin.licence,
        ].filter(Boolean).join(" · ")}
      </p>
      <p className="field-hint">
        {contacts(plugin.hosts)}
      </p>
      {plugin.reason && <Banner icon="warning" kind="problem">{plugin.reason}</Banner>}
      {plugin.state === "skippedAfterCrash" && (
        <p className="field-hint">
          To try it again, run <code>mailkernel plugins --retry {plugin.id}</code> and start mailkernel anew.
        </p>
      )}
      {plugin.state === "disabled" && (
        <p className="field-hint">
          To load it again, run <code>mailkernel plugins --enable {plugin.id}</code>{" "}
          and start mailkernel anew.
        </p>
      )}
    </Row>
  );
}

function contacts(hosts: string[]): string {
  if (hosts.length === 0) return "Contacts nobody.";
  if (hosts.includes("*")) return "May contact any server that you enter.";
  return `May contact ${hosts.join(", ")}.`;
}
