import { type FormEvent, useState } from "react";
import { words } from "../../jmap/errors.ts";
import { PROGRAM, useApp } from "../../store/app.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Spinner } from "../../ui/states.tsx";

const WORDS = "Delete Everything";

/** Deletes everything, for who has typed that they mean it. */
export function WipeDialog({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isWiping, setWiping] = useState(false);

  async function wipe(event: FormEvent) {
    event.preventDefault();
    if (typed.trim() !== WORDS) return setProblem(`Type “${WORDS}” as it is written here.`);
    setWiping(true);
    setProblem(null);
    try {
      const { notRemoved } = await app.client.call<{ notRemoved?: string[] }>("Program/wipe", {
        accountId: PROGRAM,
        confirmation: WORDS,
      });
      sessionStorage.clear();
      localStorage.clear();
      if (notRemoved && notRemoved.length > 0) {
        await app.dialogs.confirm({
          title: "Some things could not be removed",
          text: notRemoved.join(" "),
          confirm: "OK",
          cancel: "Close",
        });
      }
      // The program begins anew, and so does the page once it is there again.
      await untilItAnswers();
      location.replace("/");
    } catch (error) {
      setProblem(words(error));
      setWiping(false);
    }
  }

  return (
    <Dialog
      role="alertdialog"
      title="Wipe All Data"
      onClose={() => !isWiping && onClose()}
      footer={
        <>
          <Button disabled={isWiping} onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" form="wipe" disabled={isWiping || typed.trim() !== WORDS}>
            Delete Everything
          </Button>
        </>
      }
    >
      <form id="wipe" className="sign-in" onSubmit={wipe}>
        <p>
          This will delete ALL local data including emails, accounts, and AI models. This cannot be undone.
          You will need to set up the app again.
        </p>
        <TextField
          label={`Type “${WORDS}” to confirm`}
          autoComplete="off"
          data-autofocus
          spellCheck={false}
          disabled={isWiping}
          value={typed}
          problem={problem}
          onChange={setTyped}
        />
        {isWiping && <Spinner label="Deleting everything" />}
      </form>
    </Dialog>
  );
}

const PATIENCE = 100;

async function untilItAnswers(): Promise<void> {
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const answer = await fetch("/.well-known/jmap", { cache: "no-store" }).catch(() => null);
    if (answer && answer.status < 500) return;
  }
}
