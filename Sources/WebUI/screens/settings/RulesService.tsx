import { useState } from "react";
import type { ServiceQuestion, ServiceRules } from "../../jmap/rules.ts";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { agree, checkService, scriptText, setAtService } from "../../store/serviceRules.ts";
import { useSave } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FieldProblem, Switch } from "../../ui/fields.tsx";
import { ActionRow, Row } from "./Row.tsx";
import { serviceWords, uncertainWords } from "./serviceWords.ts";

interface ServiceProps {
  account: MailAccount;
  service: ServiceRules;
}

/** Whether rules of an account run at its service, and what else is there. */
export function RulesService({ account, service }: ServiceProps) {
  const app = useApp();
  const { save, isSaving } = useSave();
  const [shown, setShown] = useState<Shown | null>(null);
  const show = (name: string) =>
    save(async () => setShown({ name, text: await scriptText(app, account.id, name) }));
  const look = () => save(() => checkService(app, account.id));
  const uncertain = uncertainWords(service);
  if (!service.isWanted && !service.mayBeThere && (!service.checkedAt || service.obstacle)) {
    return (
      <ActionRow
        title="Rules at the service"
        text={service.obstacle ?? uncertain ??
          "Some services can run rules themselves, also while this computer is off."}
      >
        <Button disabled={isSaving} onClick={look} aria-label={`Check the service of ${account.name}`}>
          Check the service
        </Button>
      </ActionRow>
    );
  }
  return (
    <>
      <Row about="Run rules at the service">
        <Switch
          label="Run rules at the service, also while this computer is off"
          hint={serviceWords(service)}
          isOn={service.isWanted}
          isDisabled={isSaving}
          onChange={(isOn) => save(() => setAtService(app, account.id, isOn))}
        />
        {service.isWanted && service.obstacle && <FieldProblem>{service.obstacle}</FieldProblem>}
        {uncertain && <FieldProblem>{uncertain}</FieldProblem>}
      </Row>
      {service.isWanted && service.question && (
        <Question
          {...{ account, question: service.question, show }}
        />
      )}
      {service.isForeign && !service.isWanted && (
        <ActionRow
          title="The script “mailkernel” at the service"
          text="Another program wrote or changed it, so mailkernel leaves it alone."
        />
      )}
      {service.scripts?.filter(({ isOurs }) => !isOurs).map(({ name, isActive }) => (
        <ActionRow
          key={name}
          title={`Script “${name}”`}
          text={isActive ? "Active at the service. Another program wrote it." : "At the service, not active."}
        >
          <Button disabled={isSaving} onClick={() => show(name)} aria-label={`Show the script “${name}”`}>
            Show
          </Button>
        </ActionRow>
      ))}
      {shown && <ScriptDialog {...shown} onClose={() => setShown(null)} />}
    </>
  );
}

interface Shown {
  name: string;
  text: string;
}

function ScriptDialog({ name, text, onClose }: Shown & { onClose: () => void }) {
  return (
    <Dialog title={`Script “${name}” at the service`} isWide onClose={onClose}>
      <pre className="rule-text rule-script" aria-label={`Text of “${name}”`} tabIndex={0}>{text}</pre>
    </Dialog>
  );
}

interface QuestionProps {
  account: MailAccount;
  question: ServiceQuestion;
  show: (name: string) => void;
}

/** One question at a time, each with its own words. */
function Question({ account, question, show }: QuestionProps) {
  const app = useApp();
  const { save, isSaving } = useSave();
  const isReplacing = question.kind === "replace";
  const name = isReplacing ? "mailkernel" : question.subject;
  const yes = () => save(() => agree(app, account.id, question));
  return (
    <ActionRow
      icon="warning"
      title={isReplacing
        ? "Replace the script “mailkernel” at the service?"
        : `Run mailkernel’s rules instead of the script “${name}”?`}
      text={isReplacing
        ? "Another program wrote or changed it. mailkernel uses this name for its own script. If you replace it, its text is lost."
        : `A service runs one script, and “${name}” is the active one. It stays there but no longer runs, until you turn off rules at the service.`}
    >
      <Button onClick={() => show(name)}>Show script</Button>
      <Button kind="primary" disabled={isSaving} onClick={yes}>
        {isReplacing ? "Replace it" : "Run mailkernel’s rules"}
      </Button>
    </ActionRow>
  );
}
