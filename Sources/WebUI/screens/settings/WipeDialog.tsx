import { type FormEvent, useState } from "react";
import { type App, PROGRAM, useApp } from "../../store/app.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Spinner } from "../../ui/states.tsx";
import { untilItAnswers } from "./restarts.ts";

const WORDS = "Delete Everything";

/** Deletes everything, after the user typed a confirmation. */
export function WipeDialog({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const [typed, setTyped] = useState("");
  const { isBusy, problem, setProblem, run } = useTask();
  const isMeant = typed.trim() === WORDS;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isMeant) run(() => wipe(app));
    else setProblem(`Type “${WORDS}” exactly.`);
  };
  const buttons = (
    <>
      <Button disabled={isBusy} onClick={onClose}>Cancel</Button>
      <Button kind="danger" type="submit" form="wipe" disabled={isBusy || !isMeant}>Delete Everything</Button>
    </>
  );
  return (
    <Dialog
      role="alertdialog"
      title="Wipe All Data"
      onClose={() => !isBusy && onClose()}
      footer={buttons}
    >
      <form id="wipe" className="sign-in" onSubmit={send}>
        <p>
          This will delete ALL local data including emails, accounts, and AI models. This cannot be undone.
          You will need to set up the app again.
        </p>
        <TextField
          label={`Type “${WORDS}” to confirm`}
          autoComplete="off"
          data-autofocus
          spellCheck={false}
          disabled={isBusy}
          value={typed}
          problem={problem}
          onChange={setTyped}
        />
        {isBusy && <Spinner label="Deleting everything" />}
      </form>
    </Dialog>
  );
}

async function wipe(app: App): Promise<never> {
  const { notRemoved = [] } = await app.client.call<{ notRemoved?: string[] }>("Program/wipe", {
    accountId: PROGRAM,
    confirmation: WORDS,
  });
  sessionStorage.clear();
  localStorage.clear();
  if (notRemoved.length > 0) {
    await app.dialogs.confirm({
      title: "Some things could not be removed",
      text: notRemoved.join(" "),
      confirm: "OK",
      cancel: "Close",
    });
  }
  // The program restarts; the page reloads once it responds.
  await untilItAnswers(async () => {
    const answer = await fetch("/.well-known/jmap", { cache: "no-store" }).catch(() => null);
    return answer !== null && answer.status < 500;
  });
  location.replace("/");
  // Until then nothing else can be done here.
  return new Promise(() => {});
}
