import { type FormEvent, useEffect, useState } from "react";
import { type AppLock, CAPABILITY } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Switch, TextField } from "../../ui/fields.tsx";

/** Turns the lock on and off; absent where there is none. */
export function AppLockSwitch() {
  const app = useApp();
  const lock = useObservable(app.records<AppLock>("AppLock"));
  const isThere = app.client.has(CAPABILITY.lock);
  const [asked, setAsked] = useState<boolean | null>(null);
  useEffect(() => {
    if (isThere) lock.load();
  }, [isThere, lock]);
  const state = lock.get("singleton");
  if (!isThere || !state) return null;
  const cannot = !state.canEnable && !state.isEnabled;
  return (
    <>
      <Switch
        label="App lock"
        isOn={state.isEnabled}
        isDisabled={cannot}
        hint={cannot && state.reason ? state.reason : HINT}
        onChange={setAsked}
      />
      {asked !== null && <Proof isOn={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

const HINT = "Ask for your login password or fingerprint when mailkernel starts and when you return to it.";

/** Unlocking has to work once before the lock is turned on, so that users cannot lock themselves out. */
function Proof({ isOn, onClose }: { isOn: boolean; onClose: () => void }) {
  const app = useApp();
  const [password, setPassword] = useState("");
  const { isBusy, problem, run } = useTask();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const records = app.records<AppLock & { password?: string }>("AppLock");
    const isProved = await run(() => records.save("singleton", { isEnabled: isOn }, { password }));
    if (isProved) onClose();
    else setPassword("");
  };
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="app-lock" disabled={isBusy}>
        {isOn ? "Turn on" : "Turn off"}
      </Button>
    </>
  );
  return (
    <Dialog title={isOn ? "Turn on app lock" : "Turn off app lock"} onClose={onClose} footer={buttons}>
      <form id="app-lock" className="sign-in" onSubmit={send}>
        <p>
          {isOn
            ? "Unlock once to confirm that you can. To use a fingerprint, leave the password empty."
            : "Unlock once more to turn it off."}
        </p>
        <TextField
          label="Login password"
          type="password"
          autoComplete="current-password"
          data-autofocus
          value={password}
          problem={problem}
          onChange={setPassword}
        />
      </form>
    </Dialog>
  );
}
