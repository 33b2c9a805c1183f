import { useEffect, useState } from "react";
import { CAPABILITY, type Connection, type Plugin } from "../../jmap/program.ts";
import type { TrustedSender } from "../../jmap/vendor.ts";
import { PROGRAM, useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { counted, size, spokenTime } from "../../store/words.ts";
import { useTask } from "../../store/useTask.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { FailedState, Spinner } from "../../ui/states.tsx";
import { ActionRow, Row, Section } from "./Row.tsx";
import { useSave } from "../../store/useTask.ts";
import { usePreference, usePreferences } from "./usePreference.ts";

const SEARCH: { value: "ask" | "allow" | "refuse"; label: string }[] = [
  { value: "ask", label: "Ask before looking them up" },
  { value: "allow", label: "Look them up" },
  { value: "refuse", label: "Do not look them up" },
];

export function PrivacySection() {
  const app = useApp();
  const senders = useObservable(app.records<TrustedSender>("TrustedSender"));
  const { save } = useSave();
  const preferences = usePreferences();
  const { set } = usePreference();
  const [isLedger, setLedger] = useState(false);
  useEffect(() => {
    senders.load();
  }, [senders]);
  return (
    <Section id="privacy" title="Privacy">
      <ActionRow
        title="Trusted senders"
        text={senders.list.length === 0
          ? "Remote images load only when you ask for them. No sender is allowed to always show images."
          : "Remote images in mail from these senders load without asking, so their servers see your network address and the time."}
      />
      {senders.list.map(({ id, email }) => (
        <Row key={id} about={`Trusted senders ${email}`} className="setting-action">
          <span className="setting-words">{email}</span>
          <IconButton
            icon="close"
            label={`Stop trusting ${email}`}
            onClick={() =>
              save(() =>
                senders.destroy(id)
              )}
          />
        </Row>
      ))}
      {preferences?.serviceSearch && (
        <Row about="Mail servers of new accounts">
          <SelectField
            label="Mail servers of new accounts"
            hint="Whether the address's domain, its mail host and autoconfig.thunderbird.net may be asked."
            value={preferences.serviceSearch}
            options={SEARCH}
            onChange={(serviceSearch) => set({ serviceSearch })}
          />
        </Row>
      )}
      {app.client.has(CAPABILITY.connections) && (
        <ActionRow
          title="Connections"
          text="Every server mailkernel contacted: when, why, and how much data."
        >
          <Button
            onClick={() => setLedger(true)}
          >
            Show connections
          </Button>
        </ActionRow>
      )}
      {isLedger && <Ledger onClose={() => setLedger(false)} />}
    </Section>
  );
}

const PAGE = 50;

/** The list of connections, in sentences. */
function Ledger({ onClose }: { onClose: () => void }) {
  const plugins = useObservable(useApp().records<Plugin>("Plugin"));
  const { list, isAll, problem, more } = useConnections();
  useEffect(() => {
    more();
    if (plugins.status === "empty") plugins.load();
  }, []);
  const nameOf = (id: string | null) => plugins.get(id ?? "")?.name ?? id ?? "mailkernel";
  return (
    <Dialog title="Connections" isWide onClose={onClose}>
      {!list && !problem && <Spinner label="Loading the connections" />}
      {problem && <FailedState title="The connections could not be loaded" reason={problem} retry={more} />}
      {list?.length === 0 && <p>mailkernel has not contacted any server in the last 30 days.</p>}
      <ul className="ledger">
        {list?.map((one) => <ConnectionItem key={one.id} one={one} plugin={nameOf(one.pluginId)} />)}
      </ul>
      {list && !isAll && !problem && list.length > 0 && (
        <Button onClick={more}>Show {counted(PAGE, "more", "more")}</Button>
      )}
    </Dialog>
  );
}

/** The connections, newest first and a page at a time. */
function useConnections() {
  const app = useApp();
  const [list, setList] = useState<Connection[] | null>(null);
  const [isAll, setAll] = useState(false);
  const { problem, run } = useTask();
  const more = () =>
    run(async () => {
      const position = list?.length ?? 0;
      const values = { accountId: PROGRAM, position, limit: PAGE };
      const answer = await app.client.call<{ list: Connection[] }>("Connection/get", values);
      setList([...list ?? [], ...answer.list]);
      setAll(answer.list.length < PAGE);
    });
  return { list, isAll, problem, more };
}

function ConnectionItem({ one, plugin }: { one: Connection; plugin: string }) {
  return (
    <li>
      <p>
        <strong>{plugin}</strong> with <strong>{one.host}</strong> to {one.purpose}
      </p>
      <p className="field-hint">
        {spokenTime(one.beganAt)}
        {one.bytesReceived !== null &&
          `, ${size(one.bytesReceived)} received, ${size(one.bytesSent ?? 0)} sent`}
        {outcome(one)}
      </p>
    </li>
  );
}

function outcome({ outcome, problem }: Connection): string {
  switch (outcome) {
    case "open":
      return ", still open";
    case "failed":
      return `. Failed: ${problem ?? "reason unknown"}`;
    case "interrupted":
      return ", cut off when the program ended";
    default:
      return "";
  }
}
