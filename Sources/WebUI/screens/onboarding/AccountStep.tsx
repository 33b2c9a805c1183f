import { useEffect, useState } from "react";
import type { AccountSetup } from "../../jmap/accounts.ts";
import type { StoreChoice } from "../../jmap/program.ts";
import type { AccountSettings } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import type { Records } from "../../store/records.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Banner, FailedState, Spinner } from "../../ui/states.tsx";
import { type ChosenSetup, FindAccount, startOf } from "../settings/FindAccount.tsx";
import { OtherWays } from "../settings/OtherWays.tsx";
import { SetupExplanation } from "../settings/SetupExplanation.tsx";
import { SetupList } from "../settings/SetupList.tsx";
import { SignInPanel } from "../settings/SignInPanel.tsx";
import { SilentPlugins } from "../settings/SilentPlugins.tsx";
import { NeedsVault } from "../settings/VaultForm.tsx";
import { StoreForm } from "./StoreForm.tsx";
import { StorePlaces, storeTitle } from "./StorePlaces.tsx";
import { StepFrame, type StepProps } from "./StepFrame.tsx";

/** At least one account, by any of the ways that the plugins offer. */
export function AccountStep({ onNext, onBack }: StepProps) {
  const app = useApp();
  const setups = useObservable(app.records<AccountSetup>("AccountSetup"));
  const { list: accounts } = useObservable(app.accountSettings);
  const [chosen, setChosen] = useState<ChosenSetup | null>(null);
  const [address, setAddress] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [remark, setRemark] = useState<string | null>(null);
  const [store, setStore] = useState<StoreChoice | null>(null);
  const mayChooseStore = !chosen && accounts.length === 0;
  useEffect(() => {
    setups.load();
  }, [setups]);
  const begin = (chosen: ChosenSetup) => {
    setRemark(null);
    setChosen(chosen);
  };
  const added = async (remark: string | null) => {
    setRemark(remark);
    await app.refresh();
    setChosen(null);
    setAddress("");
  };
  return (
    <StepFrame
      title={(store && storeTitle(store)) ?? chosen?.setup.title ?? "Add a mail account"}
      onBack={!chosen && !store && onBack}
      actions={!chosen && !store && (
        <Button kind="primary" disabled={accounts.length === 0} onClick={onNext}>Next</Button>
      )}
    >
      {chosen && <Adding chosen={chosen} onAdded={added} onCancel={() => setChosen(null)} />}
      {!chosen && !store && (
        <>
          {accounts.length > 0 && <Added accounts={accounts} />}
          {remark && (
            <div role="alert">
              <Banner icon="warning" kind="problem">{remark}</Banner>
            </div>
          )}
          <Ways
            setups={setups}
            isFirst={accounts.length === 0}
            address={address}
            onAddress={setAddress}
            isOpen={isOpen}
            onOpen={setOpen}
            onChoose={begin}
          />
        </>
      )}
      {mayChooseStore && <StorePlaces chosen={store} onChoose={setStore} />}
      {store && <StoreForm key={store.id} choice={store} onCancel={() => setStore(null)} />}
    </StepFrame>
  );
}

function mainOf({ list }: Records<AccountSetup>): AccountSetup | undefined {
  return list.find((setup) => setup.kind === "account");
}

interface AddingProps {
  chosen: ChosenSetup;
  onAdded: (remark: string | null) => void;
  onCancel: () => void;
}

function Adding({ chosen: { setup, found }, onAdded, onCancel }: AddingProps) {
  return (
    <>
      <SetupExplanation setup={setup} className="step-lead" />
      <NeedsVault isNeeded={setup.kind === "account"} onCancel={onCancel}>
        <SignInPanel
          start={startOf(setup, found)}
          serviceName={found?.serviceName ?? setup.serviceName}
          helpUrl={setup.helpUrl}
          onDone={(_, remark) => onAdded(remark)}
          onCancel={onCancel}
        />
      </NeedsVault>
    </>
  );
}

interface WaysProps {
  setups: Records<AccountSetup>;
  /** There is no account yet. */
  isFirst: boolean;
  address: string;
  onAddress: (address: string) => void;
  /** Whether the other ways are unfolded. */
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChoose: (chosen: ChosenSetup) => void;
}

function Ways({ setups, isFirst, isOpen, onOpen, onChoose, ...field }: WaysProps) {
  const main = mainOf(setups);
  const others = setups.list.filter((setup) => setup !== main);
  const choose = (setup: AccountSetup) => onChoose({ setup, found: null });
  return (
    <>
      {setups.status === "loading" && <Spinner label="Loading account types" />}
      {setups.status === "failed" && (
        <FailedState
          title="Account types could not be loaded"
          reason={setups.problem ?? ""}
          retry={() => setups.load()}
        />
      )}
      {setups.status === "ready" && setups.list.length === 0 && (
        <Banner icon="warning" kind="problem">
          No account plugin is loaded. Run “mailkernel plugins” in a terminal to see why.
        </Banner>
      )}
      <SilentPlugins kind="account" after={setups.list} />
      {!main && others.length > 0 && <SetupList setups={others} label="Account types" onChoose={choose} />}
      {main && (
        <FindAccount {...field} setups={setups.list} onChoose={onChoose}>
          <div className="main-setup">
            <h2>{main.title}</h2>
            <Button icon="plus" onClick={() => choose(main)}>
              {isFirst ? "Add Account" : `Add a ${main.serviceName} account`}
            </Button>
          </div>
          {others.length > 0 && <OtherWays {...{ isOpen, onOpen }} setups={others} onChoose={choose} />}
        </FindAccount>
      )}
    </>
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
