import { useEffect, useRef, useState } from "react";
import type { EmailHeader, Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { LISTED, loadFound } from "../../store/rehearsals.ts";
import { useTask } from "../../store/useTask.ts";
import { count, counted } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { FieldProblem } from "../../ui/fields.tsx";

/** The messages that a rehearsal found, in portions. */
export function FoundList({ accountId, ids }: { accountId: Id; ids: Id[] }) {
  const app = useApp();
  const { isBusy, problem, run } = useTask();
  const [emails, setEmails] = useState<EmailHeader[]>([]);
  /** How many of the ids were asked for. */
  const [position, setPosition] = useState(0);
  const isBegun = useRef(false);
  const more = () =>
    run(async () => {
      const next = await loadFound(app, accountId, ids, position);
      setEmails([...emails, ...next]);
      setPosition(Math.min(position + LISTED, ids.length));
    });
  useEffect(() => {
    if (!isBegun.current) more();
    isBegun.current = true;
  }, []);
  if (ids.length === 0) return null;
  const left = ids.length - position;
  return (
    <>
      {emails.length > 0 && (
        <ul className="rule-found" aria-label="Messages found" tabIndex={0}>
          {emails.map(({ id, from, subject }) => (
            <li key={id}>
              <span>{from?.[0]?.name || from?.[0]?.email || "No sender"}</span> {subject || "No subject"}
            </li>
          ))}
        </ul>
      )}
      {position > 0 && left > 0 && (
        <div className="rule-more">
          <Button disabled={isBusy} onClick={more}>Show more</Button>
          <span className="field-hint">
            {`${count(position)} of ${counted(ids.length, "message")} shown.`}
          </span>
        </div>
      )}
      {problem && <FieldProblem>{problem}</FieldProblem>}
    </>
  );
}
