import type { AccountSettings } from "../../jmap/vendor.ts";
import { PROGRAM, useApp } from "../../store/app.ts";
import { useSave } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Banner } from "../../ui/states.tsx";
import { type AccountState, ACTIONS } from "./accountWords.ts";

interface AccountStateLineProps {
  account: AccountSettings;
  state: AccountState;
  onSignIn: () => void;
}

/** What an account is doing, in a sentence or two, with the one thing to do. */
export function AccountStateLine({ account, state, onSignIn }: AccountStateLineProps) {
  const { sentences, isGood, action } = state;
  if (sentences.length === 0 && !action) return null;
  const button = action && <ActionButton {...{ account, action, onSignIn }} />;
  if (isGood) {
    return (
      <div className="account-state">
        {sentences.map((sentence) => <p key={sentence} className="field-hint">{sentence}</p>)}
        {button}
      </div>
    );
  }
  return (
    <Banner icon={account.status === "paused" ? "info" : "warning"} kind="problem">
      {sentences.map((sentence) => <p key={sentence}>{sentence}</p>)}
      {button}
    </Banner>
  );
}

interface ActionButtonProps {
  account: AccountSettings;
  action: NonNullable<AccountState["action"]>;
  onSignIn: () => void;
}

function ActionButton({ account: { id, address }, action, onSignIn }: ActionButtonProps) {
  const app = useApp();
  const { isSaving, save } = useSave();
  const run = () => {
    if (action === "signIn") return onSignIn();
    if (action === "resume") return save(() => app.accountSettings.save(id, { status: "active" }));
    return save(() => app.client.call("SyncStatus/refresh", { accountId: PROGRAM, ids: [id] }));
  };
  return (
    <Button
      kind={action === "checkNow" ? "quiet" : "plain"}
      disabled={isSaving}
      onClick={run}
      aria-label={`${ACTIONS[action]} ${address}`}
    >
      {ACTIONS[action]}
    </Button>
  );
}
