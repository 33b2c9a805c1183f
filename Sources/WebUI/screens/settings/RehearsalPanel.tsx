import { useEffect, useState } from "react";
import type { Applied, Rehearsed, Rule } from "../../jmap/rules.ts";
import type { EmailHeader } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { applyRule, rehearse } from "../../store/rules.ts";
import { useTask } from "../../store/useTask.ts";
import { counted } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { FieldProblem } from "../../ui/fields.tsx";
import { rehearsalWords } from "./ruleWords.ts";

const LISTED = 50;

/** What a rule would have done, with the list; and doing it with what is in the inbox. */
export function RehearsalPanel({ account, rule }: { account: MailAccount; rule: Rule | null }) {
  const app = useApp();
  const { isBusy, problem, setProblem, run } = useTask();
  const [found, setFound] = useState<{ result: Rehearsed; emails: EmailHeader[] } | null>(null);
  const [applied, setApplied] = useState<Applied | null>(null);
  const meaning = JSON.stringify(rule && { ...rule, name: "", isOn: true });
  useEffect(() => {
    setFound(null);
    setApplied(null);
    setProblem(null);
  }, [meaning]);
  const look = (rule: Rule) =>
    run(async () => {
      const result = await rehearse(app, account.id, { ...rule, name: rule.name || "Rule" });
      const { list } = await app.client.call<{ list: EmailHeader[] }>("Email/get", {
        accountId: account.id,
        ids: result.emailIds.slice(0, LISTED),
        properties: ["id", "from", "subject", "receivedAt"],
      });
      setFound({ result, emails: list });
      setApplied(null);
    });
  const keep = (result: Applied) => {
    setFound(null);
    setApplied(result);
    setProblem(result.problems[0] ?? null);
  };
  const undo = () => {
    for (const id of applied?.actionIds ?? []) app.actions.log.undo({ accountId: account.id, id });
    setApplied(null);
  };
  return (
    <div className="rule-rehearsal">
      <div role="status">
        {found && <p>{rehearsalWords(found.result)}</p>}
        {applied && <p>{`${counted(applied.changed, "message")} changed.`}</p>}
      </div>
      {found && <FoundList emails={found.emails} />}
      <div className="setting-buttons">
        <Button icon="search" disabled={!rule || isBusy} onClick={() => rule && look(rule)}>
          Rehearse with past mail
        </Button>
        {found && rule && (
          <ApplyButton
            {...{ account, rule }}
            result={found.result}
            onDone={keep}
          />
        )}
        {applied && applied.actionIds.length > 0 && <Button icon="undo" onClick={undo}>Undo</Button>}
      </div>
      {problem && <FieldProblem>{problem}</FieldProblem>}
    </div>
  );
}

function FoundList({ emails }: { emails: EmailHeader[] }) {
  if (emails.length === 0) return null;
  return (
    <ul className="rule-found" aria-label="Messages found" tabIndex={0}>
      {emails.map(({ id, from, subject }) => (
        <li key={id}>
          <span>{from?.[0]?.name || from?.[0]?.email || "No sender"}</span> {subject || "No subject"}
        </li>
      ))}
    </ul>
  );
}

interface ApplyProps {
  account: MailAccount;
  rule: Rule;
  result: Rehearsed;
  onDone: (applied: Applied) => void;
}

function ApplyButton({ account, rule, result, onDone }: ApplyProps) {
  const app = useApp();
  const { isBusy, problem, run } = useTask();
  const ids = result.inboxIds;
  if (ids.length === 0) return null;
  const apply = () =>
    run(async () => {
      const named = { ...rule, name: rule.name || "Rule" };
      onDone(await applyRule(app, account.id, named, ids));
    });
  return (
    <>
      <Button disabled={isBusy} onClick={apply}>
        {`Apply to the ${counted(ids.length, "message")} in the inbox now`}
      </Button>
      {problem && <FieldProblem>{problem}</FieldProblem>}
    </>
  );
}
