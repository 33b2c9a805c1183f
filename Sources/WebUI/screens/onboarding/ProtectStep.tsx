import { useEffect } from "react";
import { type About, type AppLock, CAPABILITY } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { useMailStore } from "../../store/useMailStore.ts";
import { Button } from "../../ui/Button.tsx";
import { AppLockSwitch } from "../settings/AppLockSwitch.tsx";
import { Advice } from "./Advice.tsx";
import { StepFrame, type StepProps } from "./StepFrame.tsx";

const DISK: Record<About["diskEncryption"], string> = {
  encrypted: "Your mail is on an encrypted disk. It cannot be read without your passphrase.",
  notEncrypted:
    "Your mail is on a disk that is not encrypted, so a thief could read it. Most systems offer LUKS " +
    "encryption during installation.",
  unknown: "Use LUKS, so that a thief cannot read the disk. Most systems offer it during installation.",
};

/** Advice, and the app lock. */
export function ProtectStep({ onNext, onBack }: StepProps) {
  const app = useApp();
  const about = useObservable(app.records<About>("About"));
  const lock = useObservable(app.records<AppLock>("AppLock"));
  const server = useMailStore()?.server;
  const hasAbout = app.client.has(CAPABILITY.about);
  useEffect(() => {
    if (hasAbout && about.status === "empty") about.load();
  }, [hasAbout, about]);
  return (
    <StepFrame
      title="Protect your data"
      onBack={onBack}
      actions={<Button kind="primary" onClick={onNext}>Next</Button>}
    >
      <p className="step-lead">
        {server
          ? `mailkernel shows your mail on this computer and keeps it on ${server}, so protect both well.`
          : "mailkernel keeps your mail on this computer, so protect it well."}
      </p>
      <AdviceList disk={server ? "unknown" : about.get("singleton")?.diskEncryption ?? "unknown"} />
      {lock.get("singleton") || app.client.has(CAPABILITY.lock)
        ? (
          <div className="step-switch">
            <AppLockSwitch />
          </div>
        )
        : null}
    </StepFrame>
  );
}

function AdviceList({ disk }: { disk: About["diskEncryption"] }) {
  return (
    <ul className="advice">
      <Advice icon="lock" title="Lock your computer">
        Set a login password, and a fingerprint if your computer has a reader. Let the screen lock by itself.
      </Advice>
      <Advice icon="shield" title="Turn on app lock">
        mailkernel then asks for that password or fingerprint before it shows any mail.
      </Advice>
      <Advice
        icon={disk === "encrypted" ? "check" : disk === "notEncrypted" ? "warning" : "folder"}
        title={disk === "encrypted" ? "This disk is encrypted" : "Encrypt your disk"}
      >
        {DISK[disk]}
      </Advice>
      <Advice icon="archive" title="Encrypt your backups">
        A backup of your home folder holds your mail too. Choose encryption in your backup program.
      </Advice>
      <Advice icon="refresh" title="Keep your system up to date">
        Install security updates promptly, or let your system do it.
      </Advice>
      <Advice icon="people" title="Review your accounts from time to time">
        Check at your mail provider which programs have access to your account, and remove those you no longer
        use.
      </Advice>
    </ul>
  );
}
