import { useEffect, useState } from "react";
import type { AccountSetup } from "../../jmap/accounts.ts";
import type { Id } from "../../jmap/types.ts";
import type { AccountSettings, SyncStatus } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { useMailStore } from "../../store/useMailStore.ts";
import { useObservable } from "../../base/observable.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { SelectField, TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Banner } from "../../ui/states.tsx";
import { AccountStateLine } from "./AccountStateLine.tsx";
import { accountState, removalSentence } from "./accountWords.ts";
import { AddAccountDialog } from "./AddAccountDialog.tsx";
import { ChangeSignIn } from "./ChangeSignIn.tsx";
import { FoundAddresses } from "./FoundAddresses.tsx";
import { jmapWay, waysFor } from "./waysToMail.ts";
import { jmapHost } from "./quotaWords.ts";
import { Row, Section } from "./Row.tsx";
import { ServiceLimits, useServiceReport } from "./ServiceLimits.tsx";
import { SignInPanel } from "./SignInPanel.tsx";
import { useSave } from "../../store/useTask.ts";
import { NeedsVault } from "./VaultForm.tsx";

const WINDOWS = [7, 14, 30, 60, 90];

export function AccountsSection() {
  const app = useApp();
  const accounts = useObservable(app.accountSettings).list;
  const setups = useObservable(app.records<AccountSetup>("AccountSetup"));
  const [isAdding, setAdding] = useState(false);
  const [again, setAgain] = useState<AccountSettings | null>(null);
  const [changed, setChanged] = useState<Changed | null>(null);
  useEffect(() => {
    if (setups.status === "empty") setups.load();
  }, [setups]);

  function isSynced(account: AccountSettings) {
    return setups.list.some((setup) => setup.pluginId === account.pluginId && setup.kind === "account");
  }

  return (
    <Section id="accounts" title="Accounts">
      {accounts.map((account) => (
        <AccountRow
          key={account.id}
          account={account}
          isSynced={isSynced(account)}
          onSignIn={() => setAgain(account)}
          setups={setups.list}
          onChange={(ways, chosen = null) => setChanged({ account, ways, chosen })}
        />
      ))}
      <Row about="Add Account">
        <Button icon="plus" onClick={() => setAdding(true)}>Add Account</Button>
      </Row>
      {isAdding && <AddAccountDialog onClose={() => setAdding(false)} />}
      {changed && (
        <ChangeSignIn
          account={changed.account}
          setups={changed.ways}
          initial={changed.chosen}
          onClose={() => setChanged(null)}
        />
      )}
      {again && (
        <Dialog title={`Sign in to ${again.address}`} onClose={() => setAgain(null)}>
          {/* A password that was entered before it is known where to keep it would be lost. */}
          <NeedsVault
            isNeeded={setups.status !== "ready" || isSynced(again)}
            onCancel={() => setAgain(null)}
          >
            <SignInPanel
              start={{ accountId: again.id }}
              serviceName={setups.list.find((setup) => setup.pluginId === again.pluginId)?.serviceName ??
                again.address}
              onDone={() => setAgain(null)}
              onCancel={() => setAgain(null)}
            />
          </NeedsVault>
        </Dialog>
      )}
    </Section>
  );
}

/** An account whose sign-in is changed, in which ways, and which of them was chosen. */
interface Changed {
  account: AccountSettings;
  ways: AccountSetup[];
  chosen: AccountSetup | null;
}

interface AccountRowProps {
  account: AccountSettings;
  setups: AccountSetup[];
  /** Its mail comes from elsewhere. */
  isSynced: boolean;
  onSignIn: () => void;
  /** Changes how it signs in, in one of these ways. */
  onChange: (ways: AccountSetup[], chosen?: AccountSetup | null) => void;
}

function AccountRow({ account, setups, isSynced, onSignIn, onChange }: AccountRowProps) {
  const app = useApp();
  const sync = useObservable(app.syncStatus).get(account.id);
  const { address, displayName, status } = account;
  const report = useServiceReport(status === "active" && isSynced ? account : null);
  const state = accountState(account, sync ?? null, report?.quotas);
  const ways = waysFor(account, setups, jmapHost(report?.jmapSessionUrl ?? null));
  const jmap = jmapWay(account.pluginId, ways);
  // Where another computer looks after it, what happens there is not known here.
  const isElsewhere = state.isGood && (sync?.turn === "elsewhere" || sync?.turn === "signInNeeded");
  return (
    <Row
      about={`${address} ${displayName} Sync window Display name Remove Account Re-authenticate Pause ${status}`}
      className="account"
    >
      <div className="account-head" role="group" aria-label={`${address}, ${state.badge.toLowerCase()}`}>
        <h3>
          <Breakable address={address} />
        </h3>
        <p className={`badge ${state.isGood ? "badge-good" : "badge-warning"}`}>
          <Icon name={state.isGood ? "check" : "warning"} /> {state.badge}
        </p>
      </div>
      {!isElsewhere && (isSynced || !state.isGood) && <AccountStateLine {...{ account, state, onSignIn }} />}
      {status === "active" && !sync?.isSignInRefused && (
        <AccountTurn account={account} turn={sync?.turn} onSignIn={onSignIn} />
      )}
      {report && (
        <ServiceLimits
          {...{ account, report }}
          onSwitch={jmap ? () => onChange(ways, jmap) : null}
        />
      )}
      {isSynced && <FoundAddresses account={account} />}
      <div className="account-fields">
        <NameField account={account} />
        {isSynced && !account.isKeptHereOnly && <WindowField account={account} />}
      </div>
      <div className="account-buttons">
        {isSynced && status === "active" && <PauseButton account={account} />}
        {isSynced && (
          <Button
            icon="lock"
            onClick={() => onChange(ways)}
            aria-label={`Change how it signs in… (${address})`}
          >
            Change how it signs in…
          </Button>
        )}
        <RemoveButton account={account} isSynced={isSynced} />
      </div>
    </Row>
  );
}

function PauseButton({ account: { id, address } }: { account: AccountSettings }) {
  const app = useApp();
  const { isSaving, save } = useSave();
  const pause = () => save(() => app.accountSettings.save(id, { status: "paused" }));
  return (
    <Button icon="clock" disabled={isSaving} onClick={pause} aria-label={`Pause ${address}`}>Pause</Button>
  );
}

interface TurnProps {
  account: AccountSettings;
  turn: SyncStatus["turn"];
  onSignIn: () => void;
}

/** On a store that several computers share, one of them looks after the account. */
function AccountTurn({ account, turn, onSignIn }: TurnProps) {
  const store = useMailStore();
  // Which one does is not known without the server.
  if (store?.isOffline) return null;
  switch (turn) {
    case "here":
      return <p className="field-hint">This computer receives and sends this account's mail.</p>;
    case "elsewhere":
      return (
        <p className="field-hint">Another computer receives and sends this account's mail at the moment.</p>
      );
    case "signInNeeded":
      return (
        <Banner icon="info">
          <p>
            This computer has no sign-in for this account, so another one receives and sends its mail. Sign in
            here so that this computer can do it, too.
          </p>
          <Button onClick={onSignIn} aria-label={`Sign in to ${account.address} on this computer`}>
            Sign in on this computer
          </Button>
        </Banner>
      );
    default:
      return null;
  }
}

function WindowField({ account }: { account: AccountSettings }) {
  const app = useApp();
  const { save } = useSave();
  const setWindow = async (syncWindowDays: number) => {
    const isSure = syncWindowDays >= account.syncWindowDays || await app.dialogs.confirm({
      title: `Keep ${syncWindowDays} days of mail?`,
      text:
        "Reducing the sync window will remove local copies of older emails. Server emails are not affected.",
      confirm: "Reduce",
    });
    if (isSure) await save(() => app.accountSettings.save(account.id, { syncWindowDays }));
  };
  return (
    <SelectField
      label="Sync window"
      of={account.address}
      value={account.syncWindowDays}
      options={WINDOWS.map((days) => ({ value: days, label: `${days} days` }))}
      onChange={setWindow}
    />
  );
}

function RemoveButton({ account, isSynced }: { account: AccountSettings; isSynced: boolean }) {
  const app = useApp();
  const { save } = useSave();
  const { id, address } = account;
  const remove = async () => {
    // Whether a service has the mail is known only after the first visit to it.
    await app.accountSettings.load();
    const isSure = await app.dialogs.confirm({
      title: `Remove ${address}?`,
      text: removalSentence(app.accountSettings.get(id) ?? account, isSynced),
      confirm: "Remove",
      isDestructive: true,
    });
    if (isSure) await save(() => app.accountSettings.destroy(id));
  };
  return (
    <Button icon="trash" onClick={remove} aria-label={`Remove Account ${address}`}>Remove Account</Button>
  );
}

/** A name is saved when the field is left, or with Enter. */
function NameField({ account }: { account: AccountSettings }) {
  const app = useApp();
  const { save } = useSave();
  const [value, setValue] = useState(account.displayName);
  const id: Id = account.id;
  useEffect(() => setValue(account.displayName), [account.displayName]);
  async function keep() {
    const displayName = value.trim();
    if (displayName === account.displayName) return setValue(displayName);
    const isSaved = displayName !== "" && await save(() => app.accountSettings.save(id, { displayName }));
    if (!isSaved) setValue(account.displayName);
  }
  return (
    <TextField
      label="Display name"
      of={account.address}
      value={value}
      autoComplete="off"
      maxLength={200}
      onChange={setValue}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key === "Enter") keep();
      }}
    />
  );
}
