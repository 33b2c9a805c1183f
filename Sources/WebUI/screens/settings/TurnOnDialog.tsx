import { useEffect, useState } from "react";
import { words } from "../../jmap/errors.ts";
import type { Rehearsed, Script } from "../../jmap/rules.ts";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { applySaved, type Reach, reaches } from "../../store/rehearsals.ts";
import { rehearse } from "../../store/rules.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FieldProblem } from "../../ui/fields.tsx";
import { FoundList } from "./FoundList.tsx";
import { rehearsalWords } from "./ruleWords.ts";

interface Props {
  account: MailAccount;
  /** The rule, or the text with all rules. */
  script: Script;
  title: string;
  confirm: "Turn on" | "Save";
  /** What leads back: to the form, or to where the rule stays off. */
  back: string;
  onBack: () => void;
  /** Puts the rules into use, and returns them with the names that they have then. */
  save: () => Promise<Script>;
  onDone: () => void;
}

/**
 * Before rules come into use, or change: what they would have done with past mail. They can be used without waiting for
 * that.
 */
export function TurnOnDialog({ account, script, title, confirm, back, onBack, save, onDone }: Props) {
  const app = useApp();
  const { isBusy, problem, run } = useTask();
  const [found, setFound] = useState<Rehearsed | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let isOpen = true;
    rehearse(app, account.id, script).then((result) => {
      if (isOpen) setFound(result);
    }, (error) => {
      if (isOpen) setFailure(words(error));
    });
    return () => {
      isOpen = false;
    };
  }, []);
  const finish = async (reach?: Reach) => {
    const work = async () => {
      const saved = await save();
      if (reach) await applySaved(app, app.actions.log, account.id, saved, reach);
    };
    if (await run(work)) onDone();
  };
  const buttons = (
    <>
      <Button onClick={onBack}>{back}</Button>
      {found && reaches(found).map((reach) => (
        <Button
          key={reach.words}
          disabled={isBusy}
          onClick={() => finish(reach)}
        >
          {`${confirm} and apply to ${reach.words}`}
        </Button>
      ))}
      <Button kind="primary" data-autofocus disabled={isBusy} onClick={() => finish()}>{confirm}</Button>
    </>
  );
  return (
    <Dialog title={title} isWide onClose={onBack} footer={buttons}>
      <div className="rule-rehearsal">
        <div role="status">
          <p>{found ? rehearsalWords(found) : failure ? null : "Rehearsing with past mail…"}</p>
        </div>
        {found && <FoundList accountId={account.id} ids={found.emailIds} />}
        {failure && <FieldProblem>{`The rehearsal failed: ${failure}`}</FieldProblem>}
        {problem && <FieldProblem>{problem}</FieldProblem>}
      </div>
    </Dialog>
  );
}
