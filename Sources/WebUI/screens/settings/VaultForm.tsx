import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { CAPABILITY, type Vault } from "../../jmap/program.ts";
import { type App, useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/fields.tsx";

export function useVault(): Vault | null {
  const app = useApp();
  const records = useObservable(app.records<Vault>("Vault"));
  const isThere = app.client.has(CAPABILITY.secrets);
  useEffect(() => {
    if (isThere && records.status === "empty") records.load();
  }, [isThere, records]);
  return isThere ? records.get("singleton") ?? null : null;
}

/** Shows what needs passwords to be kept, once something keeps them. */
export function NeedsVault(
  { isNeeded, onCancel, children }: { isNeeded: boolean; onCancel: () => void; children: ReactNode },
) {
  const vault = useVault();
  if (!isNeeded || !vault || vault.state === "open") return <>{children}</>;
  return <VaultForm vault={vault} onCancel={onCancel} />;
}

/** Opens the vault with its passphrase, or makes one where nothing keeps passwords yet. */
export function VaultForm({ vault, onCancel }: { vault: Vault; onCancel: () => void }) {
  const app = useApp();
  const isNew = vault.state === "absent";
  const [passphrase, setPassphrase] = useState("");
  const [repeated, setRepeated] = useState("");
  const { isBusy, problem, setProblem, run } = useTask();
  const send = (event: FormEvent) => {
    event.preventDefault();
    const wrong = isNew ? wrongIn(passphrase, repeated) : null;
    if (wrong) return setProblem(wrong);
    run(() => open(app, passphrase));
  };
  return (
    <form className="sign-in" onSubmit={send}>
      <p>{isNew ? ABSENT : LOCKED}</p>
      <TextField
        label="Passphrase"
        type="password"
        autoFocus
        data-autofocus
        autoComplete={isNew ? "new-password" : "current-password"}
        value={passphrase}
        problem={problem}
        onChange={setPassphrase}
      />
      {isNew && (
        <TextField
          label="Repeat passphrase"
          type="password"
          autoComplete="new-password"
          value={repeated}
          onChange={setRepeated}
        />
      )}
      <div className="sign-in-actions">
        <Button onClick={onCancel}>{isNew ? "Cancel" : "Not now"}</Button>
        <Button kind="primary" type="submit" disabled={isBusy || passphrase === ""}>
          {isNew ? "Set passphrase" : "Unlock"}
        </Button>
      </div>
    </form>
  );
}

async function open(app: App, passphrase: string): Promise<void> {
  const records = app.records<Vault>("Vault");
  await records.save("singleton", {}, { passphrase });
  await records.load();
}

function wrongIn(passphrase: string, repeated: string): string | null {
  if (passphrase.length < 8) return "Use at least 8 characters.";
  return passphrase === repeated ? null : "The passphrases do not match.";
}

const ABSENT =
  "Your desktop has no password store, so mailkernel keeps passwords in a vault protected by a " +
  "passphrase. You will be asked for it after each start. It cannot be recovered.";
const LOCKED =
  "Your passwords are in a locked vault. Until you unlock it, mail is neither received nor sent.";

/** Asks for the passphrase when the program has started and cannot reach the accounts' passwords. */
export function VaultDialog() {
  const vault = useVault();
  const [isLater, setLater] = useState(false);
  if (!vault || vault.kind !== "vault" || vault.state !== "locked" || isLater) return null;
  return (
    <Dialog title="Unlock your passwords" onClose={() => setLater(true)}>
      <VaultForm vault={vault} onCancel={() => setLater(true)} />
    </Dialog>
  );
}
