import { useEffect, useState } from "react";
import { words } from "../../jmap/errors.ts";
import type { Rehearsed, Rule } from "../../jmap/rules.ts";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { applyRule, undoApplied } from "../../store/rehearsals.ts";
import { rehearse } from "../../store/rules.ts";
import { useTask } from "../../store/useTask.ts";
import { counted } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FieldProblem } from "../../ui/fields.tsx";
import { FoundList } from "./FoundList.tsx";
import { rehearsalWords } from "./ruleWords.ts";

interface Props {
  account: MailAccount;
  rule: Rule;
  /** What leads back: to the form, or to where the rule stays off. */
  back: string;
  onBack: () => void;
  /** Turns the rule on, and returns what it is called then. */
  turnOn: () => Promise<string>;
  onDone: () => void;
}

/** Before a rule is turned on: what it would have done with past mail. It can be turned on without waiting for that. */
export function TurnOnDialog({ account, rule, back, onBack, turnOn, onDone }: Props) {
  const app = useApp();
  const { isBusy, problem, run } = useTask();
  const [found, setFound] = useState<Rehearsed | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let isOpen = true;
    rehearse(app, account.id, rule).then((result) => {
      if (isOpen) setFound(result);
    }, (error) => {
      if (isOpen) setFailure(words(error));
    });
    return () => {
      isOpen = false;
    };
  }, []);
  const inboxIds = found?.inboxIds ?? [];
  const finish = async (isApplied: boolean) => {
    const work = async () => {
      const name = await turnOn();
      if (isApplied) await apply(name);
    };
    if (await run(work)) onDone();
  };
  /** The rule is on by now: what happens to past mail is said outside of the dialog. */
  const apply = async (name: string) => {
    try {
      const { changed, actionIds, problems } = await applyRule(app, account.id, { ...rule, name }, inboxIds);
      const undo = () => void undoApplied(app, app.actions.log, account.id, actionIds);
      const action = actionIds.length > 0 ? { label: "Undo", run: undo } : null;
      app.toasts.show(`${counted(changed, "message")} changed by “${name}”`, { action, seconds: 10 });
      if (problems[0]) app.toasts.problem(problems[0]);
    } catch (error) {
      app.toasts.problem(`“${name}” is on, but was not applied: ${words(error)}`);
    }
  };
  const buttons = (
    <>
      <Button onClick={onBack}>{back}</Button>
      {inboxIds.length > 0 && (
        <Button disabled={isBusy} onClick={() => finish(true)}>
          {`Turn on and apply to the ${counted(inboxIds.length, "message")} in the inbox`}
        </Button>
      )}
      <Button kind="primary" data-autofocus disabled={isBusy} onClick={() => finish(false)}>Turn on</Button>
    </>
  );
  return (
    <Dialog title={`Turn on the rule “${rule.name}”?`} isWide onClose={onBack} footer={buttons}>
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
