import { useState } from "react";
import type { AccountSetup } from "../../jmap/accounts.ts";
import type { AccountSettings } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { SetupExplanation } from "./SetupExplanation.tsx";
import { SetupList } from "./SetupList.tsx";
import { SignInPanel } from "./SignInPanel.tsx";
import { NeedsVault } from "./VaultForm.tsx";

interface ChangeSignInProps {
  account: AccountSettings;
  /** The ways to sign in. */
  setups: AccountSetup[];
  /** The one that was chosen already. */
  initial: AccountSetup | null;
  onClose: () => void;
}

/** Gives an account another password, other servers or another way to sign in. Its mail stays. */
export function ChangeSignIn({ account, setups, initial, onClose }: ChangeSignInProps) {
  const app = useApp();
  const [chosen, setChosen] = useState(initial ?? (setups.length === 1 ? setups[0] ?? null : null));
  const done = () => {
    app.toasts.show(`The new sign-in of ${account.address} is in use`);
    app.refresh();
    onClose();
  };
  return (
    <Dialog title={`Change how ${account.address} signs in`} onClose={onClose}>
      <div className="form">
        <p className="field-hint">
          Your mail stays. The new sign-in is tried first; if it fails, the account keeps the old one.
        </p>
        {chosen
          ? (
            <NeedsVault isNeeded={chosen.kind === "account"} onCancel={onClose}>
              <div className="form">
                {setups.length > 1 && <SetupExplanation setup={chosen} className="field-hint" />}
                <SignInPanel
                  start={{ accountId: account.id, setupId: chosen.id }}
                  serviceName={chosen.serviceName}
                  helpUrl={chosen.helpUrl}
                  onDone={done}
                  onCancel={() => setups.length > 1 ? setChosen(null) : onClose()}
                />
              </div>
            </NeedsVault>
          )
          : <SetupList setups={setups} label="Ways to sign in" onChoose={setChosen} />}
      </div>
    </Dialog>
  );
}
