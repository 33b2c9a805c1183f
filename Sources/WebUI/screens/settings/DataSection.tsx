import { useCallback, useEffect, useRef, useState } from "react";
import { words } from "../../jmap/errors.ts";
import type { AccountUsage, ProgramUsage } from "../../jmap/program.ts";
import type { AccountSettings } from "../../jmap/vendor.ts";
import { PROGRAM, useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { size } from "../../store/words.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { Button } from "../../ui/Button.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { Banner, FailedState, Spinner } from "../../ui/states.tsx";
import { ExportRows } from "./ExportRows.tsx";
import { ActionRow, Row, Section } from "./Row.tsx";
import { SilentPlugins } from "./SilentPlugins.tsx";
import { useMailStore } from "../../store/useMailStore.ts";
import { useSave } from "../../store/useTask.ts";
import { StoreRow } from "./StoreRow.tsx";
import { WipeDialog } from "./WipeDialog.tsx";

const LIMITS = [100, 250, 500, 1000];

interface Usage {
  accounts: AccountUsage[];
  program: ProgramUsage | null;
}

export function DataSection() {
  const app = useApp();
  const settings = useObservable(app.accountSettings).list;
  const { usage, problem, load } = useUsage();
  const server = useMailStore()?.server;
  const [isWiping, setWiping] = useState(false);
  return (
    <Section id="data" title="Data Management">
      <StoreRow />
      {!usage && !problem && (
        <Row about="Storage">
          <div className="storage-waits">
            <Spinner label="Calculating storage" /> Calculating storage…
          </div>
        </Row>
      )}
      {problem && (
        <Row about="Storage">
          <FailedState title="Unable to calculate storage" reason={problem} retry={load} />
        </Row>
      )}
      {usage && <Storage usage={usage} settings={settings} />}
      <ClearRow clearable={usage?.program?.clearableBytes ?? 0} onCleared={load} />
      <ExportRows accounts={settings} />
      <ActionRow
        title="Wipe All Data"
        text={`Deletes everything that mailkernel stores on this computer${
          server ? ` and on ${server}` : ""
        }.`}
      >
        <Button kind="danger" onClick={() => setWiping(true)}>Wipe All Data</Button>
      </ActionRow>
      {isWiping && <WipeDialog onClose={() => setWiping(false)} />}
    </Section>
  );
}

function Storage({ usage: { program, accounts }, settings }: { usage: Usage; settings: AccountSettings[] }) {
  return (
    <>
      {program && (
        <Row about="Storage total">
          <TotalUsage usage={program} />
        </Row>
      )}
      {accounts.map((account) => (
        <AccountStorage
          key={account.id}
          usage={account}
          settings={settings.find(({ id }) => id === account.id)}
          largest={Math.max(...accounts.map(({ totalBytes }) => totalBytes))}
        />
      ))}
    </>
  );
}

function ClearRow({ clearable, onCleared }: { clearable: number; onCleared: () => void }) {
  const app = useApp();
  const { save, isSaving } = useSave();
  const clear = async () => {
    const isSure = await app.dialogs.confirm({
      title: `Clear Cache? This frees ${size(clearable)}.`,
      text: "This will remove cached attachments and data. Emails and accounts will not be affected.",
      confirm: "Clear",
    });
    if (!isSure) return;
    await save(async () => {
      const { freedBytes } = await app.client.call<{ freedBytes: number }>("StorageUsage/clearCache", {
        accountId: PROGRAM,
      });
      app.toasts.show(`${size(freedBytes)} freed`);
    });
    onCleared();
  };
  return (
    <ActionRow
      title="Clear Cache"
      text={clearable > 0
        ? `Attachments and other data that can be downloaded again: ${size(clearable)}.`
        : "Nothing to clear."}
    >
      <Button disabled={clearable === 0 || isSaving} onClick={clear}>Clear Cache</Button>
    </ActionRow>
  );
}

function useUsage() {
  const app = useApp();
  const accounts = useObservable(app.accountSettings).list.length;
  const [usage, setUsage] = useState<Usage | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  // An answer that was overtaken by a newer one is out of date.
  const last = useRef(0);
  const load = useCallback(async () => {
    const mine = last.current += 1;
    setProblem(null);
    try {
      const { list } = await app.client.call<{ list: (AccountUsage | ProgramUsage)[] }>("StorageUsage/get", {
        accountId: PROGRAM,
        ids: null,
      });
      if (mine !== last.current) return;
      const program = list.find((one): one is ProgramUsage => one.id === PROGRAM) ?? null;
      setUsage({ program, accounts: list.filter((one): one is AccountUsage => one.id !== PROGRAM) });
    } catch (error) {
      if (mine !== last.current) return;
      setUsage(null);
      setProblem(words(error));
    }
  }, [app]);
  useEffect(() => {
    load();
  }, [load, accounts]);
  return { usage, problem, load };
}

function TotalUsage({ usage }: { usage: ProgramUsage }) {
  return (
    <div className="storage">
      <p className="storage-line">
        <span className="setting-title">All of mailkernel</span>
        <span className="storage-total">{size(usage.totalBytes)}</span>
      </p>
      {usage.modelBytes > 0 && <p className="field-hint">AI models: {size(usage.modelBytes)}</p>}
      <SilentPlugins kind="model" after={usage} />
      {usage.isOverWarning && (
        <Banner icon="warning" kind="problem">
          mailkernel uses more than 5 GB. A smaller sync window, a smaller cache or clearing the cache frees
          room.
        </Banner>
      )}
    </div>
  );
}

const PARTS = [
  { key: "mailBytes", label: "Emails" },
  { key: "attachmentBytes", label: "Attachments" },
  { key: "indexBytes", label: "Search index" },
] as const;

interface AccountStorageProps {
  usage: AccountUsage;
  settings: AccountSettings | undefined;
  largest: number;
}

function AccountStorage({ usage, settings, largest }: AccountStorageProps) {
  const app = useApp();
  const { save } = useSave();
  if (!settings) return null;
  const share = (bytes: number) => `${largest > 0 ? bytes / largest * 100 : 0}%`;
  return (
    <Row about={`Storage ${settings.address} Emails Attachments Search index Attachment cache limit`}>
      <div className="storage">
        <p className="storage-line">
          <span className="setting-title">
            <Breakable address={settings.address} />
          </span>
          <span className="storage-total">{size(usage.totalBytes)}</span>
        </p>
        <div className="bar" aria-hidden="true">
          {PARTS.filter(({ key }) => usage[key] > 0).map(({ key }) => (
            <span key={key} className={`bar-${key}`} style={{ width: share(usage[key]) }} />
          ))}
        </div>
        <dl className="bar-legend">
          {PARTS.map(({ key, label }) => (
            <div key={key}>
              <dt>
                <span className={`bar-dot bar-${key}`} /> {label}
              </dt>
              <dd>{size(usage[key])}</dd>
            </div>
          ))}
        </dl>
        {usage.isOverWarning && (
          <Banner icon="warning" kind="problem">
            This account uses more than 2 GB. A smaller sync window or cache limit frees space.
          </Banner>
        )}
        <SelectField
          label="Attachment cache limit"
          of={settings.address}
          value={settings.attachmentCacheLimitMB}
          options={LIMITS.map((megabytes) => ({ value: megabytes, label: `${megabytes} MB` }))}
          onChange={(attachmentCacheLimitMB) =>
            save(() => app.accountSettings.save(settings.id, { attachmentCacheLimitMB }))}
        />
      </div>
    </Row>
  );
}
