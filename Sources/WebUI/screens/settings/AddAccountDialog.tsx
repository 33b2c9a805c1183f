import { useEffect, useState } from "react";
import type { AccountSetup } from "../../jmap/accounts.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { type ChosenSetup, FindAccount, startOf } from "./FindAccount.tsx";
import { OtherWays } from "./OtherWays.tsx";
import { SetupExplanation } from "./SetupExplanation.tsx";
import { SetupList } from "./SetupList.tsx";
import { SignInPanel } from "./SignInPanel.tsx";
import { SilentPlugins } from "./SilentPlugins.tsx";
import { NeedsVault } from "./VaultForm.tsx";

/** Adds an account by any of the ways that the plugins offer. */
export function AddAccountDialog({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const setups = useObservable(app.records<AccountSetup>("AccountSetup"));
  const [chosen, setChosen] = useState<ChosenSetup | null>(null);
  const [address, setAddress] = useState("");
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    setups.load();
  }, [setups]);
  const choose = (setup: AccountSetup) => setChosen({ setup, found: null });
  return (
    <Dialog title={chosen?.setup.title ?? "Add Account"} onClose={onClose}>
      {chosen
        ? (
          <NeedsVault isNeeded={chosen.setup.kind === "account"} onCancel={() => setChosen(null)}>
            <div className="form">
              <SetupExplanation setup={chosen.setup} className="field-hint" />
              <SignInPanel
                start={startOf(chosen.setup, chosen.found)}
                serviceName={chosen.found?.serviceName ?? chosen.setup.serviceName}
                helpUrl={chosen.setup.helpUrl}
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
            {setups.list.some((setup) => setup.kind === "account")
              ? (
                <FindAccount
                  setups={setups.list}
                  address={address}
                  onAddress={setAddress}
                  onChoose={setChosen}
                >
                  <OtherWays setups={setups.list} isOpen={isOpen} onOpen={setOpen} onChoose={choose} />
                </FindAccount>
              )
              : <SetupList setups={setups.list} label="Account types" onChoose={choose} />}
          </>
        )}
    </Dialog>
  );
}
