import { useEffect, useState } from "react";
import type { Applied, Rehearsed, Rule } from "../../jmap/rules.ts";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { applyProblem, applyRules, type Reach, reaches, undoApplied } from "../../store/rehearsals.ts";
import { rehearse } from "../../store/rules.ts";
import { useTask } from "../../store/useTask.ts";
import { counted } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { FieldProblem } from "../../ui/fields.tsx";
import { FoundList } from "./FoundList.tsx";
import { rehearsalWords } from "./ruleWords.ts";

/** What a rule would have done, with the list; and doing it with what is in the inbox. */
export function RehearsalPanel({ account, rule }: { account: MailAccount; rule: Rule | null }) {
  const app = useApp();
  const { isBusy, problem, setProblem, run } = useTask();
  const [found, setFound] = useState<Rehearsed | null>(null);
  const [applied, setApplied] = useState<Applied | null>(null);
  const meaning = JSON.stringify(rule && { ...rule, name: "", isOn: true });
  useEffect(() => {
    setFound(null);
    setApplied(null);
    setProblem(null);
  }, [meaning]);
  const look = (rule: Rule) =>
    run(async () => {
      setFound(null);
      setFound(await rehearse(app, account.id, { rule: named(rule) }));
      setApplied(null);
    });
  const apply = (rule: Rule, reach: Reach) =>
    run(async () => {
      const result = await applyRules(app, account.id, { rule: named(rule) }, reach);
      // If nothing was done, it can be tried again.
      if (result.failure === null || result.changed > 0) {
        setFound(null);
        setApplied(result);
      }
      setProblem(applyProblem(result, "The rule was"));
    });
  const undo = ({ actionIds }: Applied) =>
    run(async () => {
      if (await undoApplied(app, app.actions.log, account.id, actionIds)) setApplied(null);
    });
  return (
    <div className="rule-rehearsal">
      <div role="status">
        {found && <p>{rehearsalWords(found)}</p>}
        {applied && <p>{`${counted(applied.changed, "message")} changed.`}</p>}
      </div>
      {found && <FoundList accountId={account.id} ids={found.emailIds} />}
      <div className="setting-buttons">
        <Button icon="search" disabled={!rule || isBusy} onClick={() => rule && look(rule)}>
          Rehearse with past mail
        </Button>
        {found && rule &&
          reaches(found).map((reach) => (
            <Button
              key={reach.words}
              disabled={isBusy}
              onClick={() => apply(rule, reach)}
            >
              {`Apply to ${reach.words} now`}
            </Button>
          ))}
        {applied && applied.actionIds.length > 0 && (
          <Button
            icon="undo"
            disabled={isBusy}
            onClick={() => undo(applied)}
          >
            Undo
          </Button>
        )}
      </div>
      {problem && <FieldProblem>{problem}</FieldProblem>}
    </div>
  );
}

/** The program takes no rule without a name. */
function named(rule: Rule): Rule {
  return { ...rule, name: rule.name || "Rule" };
}
