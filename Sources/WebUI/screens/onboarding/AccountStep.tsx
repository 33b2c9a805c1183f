import { useEffect, useState } from "react";
import type { AccountSetup } from "../../jmap/accounts.ts";
import type { AccountSettings } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Banner, FailedState, Spinner } from "../../ui/states.tsx";
import { SetupExplanation } from "../settings/SetupExplanation.tsx";
import { SetupList } from "../settings/SetupList.tsx";
import { SignInPanel } from "../settings/SignInPanel.tsx";
import { NeedsVault } from "../settings/VaultForm.tsx";
import { StepFrame, type StepProps } from "./StepFrame.tsx";

/** At least one account, by any of the ways that the plugins offer. */
export function AccountStep({ onNext }: StepProps) {
  const app = useApp();
  const setups = useObservable(app.records<AccountSetup>("AccountSetup"));
  const accounts = useObservable(app.accountSettings).list;
  const [chosen, setChosen] = useState<AccountSetup | null>(null);
  const [remark, setRemark] = useState<string | null>(null);
  useEffect(() => {
    setups.load();
  }, [setups]);

  const main = setups.list.find((setup) => setup.kind === "account");
  const others = setups.list.filter((setup) => setup !== main);

  function begin(setup: AccountSetup) {
    setRemark(null);
    setChosen(setup);
  }

  async function added(remark: string | null) {
    setRemark(remark);
    await app.refresh();
    setChosen(null);
  }

  return (
    <StepFrame
      title={chosen?.title ?? main?.title ?? "Add a mail account"}
      actions={!chosen && (
        <Button kind="primary" disabled={accounts.length === 0} onClick={onNext}>Next</Button>
      )}
    >
      {chosen && (
        <>
          <SetupExplanation setup={chosen} className="step-lead" />
          <NeedsVault isNeeded={chosen.kind === "account"} onCancel={() => setChosen(null)}>
            <SignInPanel
              start={{ setupId: chosen.id }}
              serviceName={chosen.serviceName}
              helpUrl={chosen.helpUrl}
              onDone={(_, remark) => added(remark)}
              onCancel={() => setChosen(null)}
            />
          </NeedsVault>
        </>
      )}
      {!chosen && (
        <>
          {accounts.length > 0 && <Added accounts={accounts} />}
          {remark && (
            <div role="alert">
              <Banner icon="warning" kind="problem">{remark}</Banner>
            </div>
          )}
          {setups.status === "loading" && <Spinner label="Looking for ways to add an account" />}
          {setups.status === "failed" && (
            <FailedState
              title="The ways to add an account could not be listed"
              reason={setups.problem ?? ""}
              retry={() => setups.load()}
            />
          )}
          {setups.status === "ready" && setups.list.length === 0 && (
            <Banner icon="warning" kind="problem">
              No plugin that brings mail accounts is loaded. Run “mailkernel plugins” in a terminal to see
              why.
            </Banner>
          )}
          {main && (
            <div className="main-setup">
              {main.explanation && <p className="step-lead">{main.explanation}</p>}
              <Button
                kind={accounts.length === 0 ? "primary" : "plain"}
                icon="plus"
                onClick={() => begin(main)}
              >
                {accounts.length === 0 ? "Add Account" : "Add another account"}
              </Button>
            </div>
          )}
          {others.length > 0 && (
            <SetupList
              setups={others}
              label={main ? "Other ways" : "Ways to begin"}
              onChoose={begin}
            />
          )}
        </>
      )}
    </StepFrame>
  );
}

function Added({ accounts }: { accounts: AccountSettings[] }) {
  return (
    <div role="status">
      <ul className="added" aria-label="Added accounts">
        {accounts.map((account) => (
          <li key={account.id}>
            <Icon name="check" />
            <span className="added-address">
              <Breakable address={account.address} />
            </span>
            <span className="field-hint">Added</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
