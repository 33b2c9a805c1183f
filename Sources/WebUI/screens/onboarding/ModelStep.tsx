import { useEffect } from "react";
import type { AccountSetup } from "../../jmap/accounts.ts";
import { CAPABILITY, type Model } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { FailedState, Spinner } from "../../ui/states.tsx";
import { ModelCard } from "../settings/ModelCard.tsx";
import { SilentPlugins } from "../settings/SilentPlugins.tsx";
import { StepFrame, type StepProps } from "./StepFrame.tsx";
import { useMailStore } from "../../store/useMailStore.ts";
import { storageSentence } from "./storageEstimate.ts";

const FAILED = "Download failed. You can download later in Settings.";

/** A model for who wants one, and how much room everything takes. */
export function ModelStep({ onNext, onBack }: StepProps) {
  const app = useApp();
  const models = useObservable(app.records<Model>("Model"));
  const isThere = app.client.has(CAPABILITY.models);
  useEffect(() => {
    if (isThere) models.load();
  }, [isThere, models]);
  const windows = useSyncWindows();
  const isDownloaded = models.list.some((model) => model.status === "downloaded");
  const isDownloading = models.list.some((model) => model.status === "downloading");
  return (
    <StepFrame
      title="AI on your device"
      onBack={onBack}
      note={<StorageNote windows={windows} />}
      actions={isDownloaded || isDownloading
        ? (
          <Button kind="primary" onClick={onNext}>
            {isDownloading ? "Continue while downloading" : "Next"}
          </Button>
        )
        : (
          <Button kind={models.list.length > 0 ? "plain" : "primary"} onClick={onNext}>
            Skip — the app works without AI features.
          </Button>
        )}
    >
      <p className="step-lead">
        A model on this computer can sort your mail into categories, suggest replies and sum up long
        conversations. Nothing that it reads leaves this computer.
      </p>
      <SilentPlugins kind="model" after={models.list} />
      {isThere && models.status === "loading" && <Spinner label="Loading models" />}
      {isThere && models.status === "failed" && (
        <FailedState
          title="Models could not be loaded"
          reason={models.problem ?? ""}
          retry={() => models.load()}
        />
      )}
      {models.list.map((model) => (
        <ModelCard key={model.id} model={model} heading="h2" failed={FAILED}>
          <div className="step-note-beside">
            <StorageNote windows={windows} />
          </div>
        </ModelCard>
      ))}
      {(!isThere || (models.status === "ready" && models.list.length === 0)) && (
        <p className="note">
          <Icon name="info" />
          <span>No AI models are available. You can add a plugin with a model at any time.</span>
        </p>
      )}
    </StepFrame>
  );
}

function StorageNote({ windows }: { windows: number[] }) {
  const server = useMailStore()?.server;
  return (
    <p className="note">
      <Icon name="archive" />
      <span>{storageSentence(windows, server ?? undefined)}</span>
    </p>
  );
}

/** The windows of the accounts whose mail is fetched from elsewhere. */
function useSyncWindows(): number[] {
  const app = useApp();
  const setups = useObservable(app.records<AccountSetup>("AccountSetup")).list;
  const remote = new Set(setups.filter((setup) => setup.kind === "account").map((setup) => setup.pluginId));
  return useObservable(app.accountSettings).list
    .filter((account) => remote.has(account.pluginId)).map((account) => account.syncWindowDays);
}
