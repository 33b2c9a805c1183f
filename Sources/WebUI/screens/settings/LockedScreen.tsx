import { type FormEvent, useEffect, useState } from "react";
import { Button } from "../../ui/Button.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/Icon.tsx";
import "./locked.css";

/** Shown instead of everything while the program is locked: nothing of the mail is in the page then. */
export function LockedScreen({ onUnlock }: { onUnlock: () => void }) {
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isTrying, setTrying] = useState(false);
  useUnlockedElsewhere(onUnlock);

  async function unlock(event: FormEvent) {
    event.preventDefault();
    setTrying(true);
    setProblem(null);
    const refused = await tryToUnlock(password);
    setPassword("");
    setTrying(false);
    if (refused) setProblem(refused);
    else onUnlock();
  }

  return (
    <main className="locked">
      <form className="locked-card" onSubmit={unlock}>
        <Icon name="lock" className="empty-icon" />
        <h1>mailkernel is locked</h1>
        <p className="field-hint">
          Enter your login password. To use a fingerprint, leave it empty and touch the reader.
        </p>
        <TextField
          label="Login password"
          type="password"
          autoFocus
          autoComplete="current-password"
          value={password}
          problem={problem}
          onChange={setPassword}
        />
        <Button kind="primary" type="submit" disabled={isTrying}>{isTrying ? "Checking…" : "Unlock"}</Button>
      </form>
    </main>
  );
}

/** The user may unlock it in another window. */
function useUnlockedElsewhere(onUnlock: () => void): void {
  useEffect(() => {
    document.title = "mailkernel is locked";
    const look = async () => {
      if (document.visibilityState === "visible" && await isOpen()) onUnlock();
    };
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
}

async function isOpen(): Promise<boolean> {
  try {
    const answer = await fetch("/lock", { credentials: "same-origin", cache: "no-store" });
    return answer.ok && (await answer.json() as { isLocked: boolean }).isLocked === false;
  } catch {
    return false;
  }
}

/** Why it stays locked, or null. */
async function tryToUnlock(password: string): Promise<string | null> {
  try {
    const answer = await fetch("/unlock", {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ password }),
    });
    if (answer.ok) return null;
    const { detail } = await answer.json().catch(() => ({})) as { detail?: string };
    return detail ?? "mailkernel could not be unlocked. Please try again.";
  } catch {
    return "mailkernel is not responding.";
  }
}
