import { useEffect, useState } from "react";
import type { AccountSetup } from "../../jmap/accounts.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { SetupExplanation } from "./SetupExplanation.tsx";
import { SetupList } from "./SetupList.tsx";
import { SignInPanel } from "./SignInPanel.tsx";
import { SilentPlugins } from "./SilentPlugins.tsx";
import { NeedsVault } from "./VaultForm.tsx";

/** Adds an account by any of the ways that the plugins offer. */
export function AddAccountDialog({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const setups = useObservable(app.records<AccountSetup>("AccountSetup"));
  const [chosen, setChosen] = useState<AccountSetup | null>(null);
  useEffect(() => {
    setups.load();
  }, [setups]);
  return (
    <Dialog title={chosen?.title ?? "Add Account"} onClose={onClose}>
      {chosen
        ? (
          <NeedsVault isNeeded={chosen.kind === "account"} onCancel={() => setChosen(null)}>
            <div className="form">
              <SetupExplanation setup={chosen} className="field-hint" />
              <SignInPanel
                start={{ setupId: chosen.id }}
                serviceName={chosen.serviceName}
                helpUrl={chosen.helpUrl}
                onDone={(_, remark) => {
                  if (remark) app.toasts.problem(remark);
                  app.refresh();
                  onClose();
                }}
                onCancel={() => setChosen(null)}
              />
            </div>
          </NeedsVault>
        )
        : (
          <>
            <SilentPlugins kind="account" after={setups.list} />
            <SetupList setups={setups.list} label="Account types" onChoose={setChosen} />
          </>
        )}
    </Dialog>
  );
}
