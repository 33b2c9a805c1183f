import { type FormEvent, useId, useState } from "react";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { checkText, setRules } from "../../store/rules.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FieldProblem } from "../../ui/fields.tsx";
import { TurnOnDialog } from "./TurnOnDialog.tsx";

/** All rules of an account as a Sieve script. */
export function RuleTextDialog(
  { account, text, onClose }: { account: MailAccount; text: string; onClose: () => void },
) {
  const app = useApp();
  const id = useId();
  const { isBusy, problem, run } = useTask();
  const [edited, setEdited] = useState(text);
  const [isRehearsed, setRehearsed] = useState(false);
  // What the text would have done is said first, as for a single rule.
  const isAsked = edited !== text && edited.trim() !== "";
  const keep = async () => {
    await setRules(app, account.id, { text: edited });
    return { text: edited };
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !await run(isAsked ? () => checkText(app, account.id, edited) : keep)) return;
    if (isAsked) setRehearsed(true);
    else onClose();
  };
  if (isRehearsed) {
    return (
      <TurnOnDialog
        {...{ account }}
        script={{ text: edited }}
        title={`Save the rules of ${account.name}?`}
        confirm="Save"
        back="Back"
        onBack={() => setRehearsed(false)}
        save={keep}
        onDone={onClose}
      />
    );
  }
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="rule-text" disabled={isBusy}>
        {isAsked ? "Save…" : "Save"}
      </Button>
    </>
  );
  return (
    <Dialog title={`Rules of ${account.name} as Sieve text`} isWide onClose={onClose} footer={buttons}>
      <form id="rule-text" className="form" noValidate onSubmit={save}>
        <div className="field">
          <label htmlFor={id}>Sieve text</label>
          <textarea
            id={id}
            className="input rule-editor"
            data-autofocus
            spellCheck={false}
            rows={18}
            aria-invalid={problem ? true : undefined}
            aria-describedby={problem ? `${id}-problem` : undefined}
            value={edited}
            onChange={(event) => setEdited(event.currentTarget.value)}
          />
        </div>
        {problem && <FieldProblem id={`${id}-problem`}>{problem}</FieldProblem>}
      </form>
    </Dialog>
  );
}
