import { useState } from "react";
import { CAPABILITY } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { AppLockSwitch } from "./AppLockSwitch.tsx";
import { LockDelay } from "./LockDelay.tsx";
import { ActionRow, Row, Section } from "./Row.tsx";
import { useVault, VaultForm } from "./VaultForm.tsx";

export function SecuritySection() {
  const app = useApp();
  const vault = useVault();
  const [isOpening, setOpening] = useState(false);
  const text = vault?.kind === "secretService"
    ? "Kept in your desktop's keyring."
    : vault?.kind === "vault"
    ? vault.state === "open"
      ? "Kept in a vault protected by your passphrase. It is unlocked."
      : "Kept in a vault protected by your passphrase. It is locked."
    : "No place for passwords has been set up on this computer yet.";
  const isClosed = vault !== null && vault.state !== "open";
  return (
    <Section id="security" title="Security">
      {app.client.has(CAPABILITY.lock) && (
        <Row about="App lock password fingerprint">
          <AppLockSwitch />
        </Row>
      )}
      {app.client.has(CAPABILITY.lock) && <LockDelay />}
      {vault && (
        <ActionRow title="Passwords of your accounts" text={text} icon={isClosed ? "warning" : "lock"}>
          {isClosed && vault.kind !== "secretService" && (
            <Button onClick={() => setOpening(true)}>
              {vault.state === "absent" ? "Set a passphrase" : "Unlock"}
            </Button>
          )}
        </ActionRow>
      )}
      {isOpening && isClosed && vault && (
        <Dialog
          title="Passwords of your accounts"
          onClose={() => setOpening(false)}
        >
          <VaultForm vault={vault} onCancel={() => setOpening(false)} />
        </Dialog>
      )}
    </Section>
  );
}
