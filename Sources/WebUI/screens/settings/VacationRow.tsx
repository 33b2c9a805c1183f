import { type FormEvent, useId, useState } from "react";
import type { ServiceRules, VacationResponse } from "../../jmap/rules.ts";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { saveVacation } from "../../store/serviceRules.ts";
import { useTask } from "../../store/useTask.ts";
import { fullTime, utc } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FieldProblem, Switch, TextField } from "../../ui/fields.tsx";
import { ActionRow } from "./Row.tsx";
import { vacationWhere } from "./serviceWords.ts";

interface VacationProps {
  account: MailAccount;
  vacation: VacationResponse;
  service: ServiceRules | undefined;
}

/** The automatic reply of an account. */
export function VacationRow({ account, vacation, service }: VacationProps) {
  const [isOpen, setOpen] = useState(false);
  const where = vacationWhere(service, vacation.isAtService);
  const until = vacation.toDate ? ` until ${fullTime(vacation.toDate)}` : "";
  return (
    <>
      <ActionRow
        title="Vacation reply"
        text={vacation.isEnabled ? `On${until}. ${where}` : "Off"}
      >
        <Button onClick={() => setOpen(true)} aria-label={`Edit the vacation reply of ${account.name}`}>
          Edit
        </Button>
      </ActionRow>
      {isOpen && <VacationDialog {...{ account, vacation, where }} onClose={() => setOpen(false)} />}
    </>
  );
}

interface DialogProps {
  account: MailAccount;
  vacation: VacationResponse;
  where: string;
  onClose: () => void;
}

function VacationDialog({ account, vacation, where, onClose }: DialogProps) {
  const app = useApp();
  const id = useId();
  const { isBusy, problem, run } = useTask();
  const [isOn, setOn] = useState(vacation.isEnabled);
  const [first, setFirst] = useState(day(vacation.fromDate));
  const [last, setLast] = useState(day(vacation.toDate));
  const [subject, setSubject] = useState(vacation.subject ?? "");
  const [text, setText] = useState(vacation.textBody || plainText(vacation.htmlBody));
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const patch = {
      isEnabled: isOn,
      fromDate: first ? utc(new Date(`${first}T00:00:00`)) : null,
      toDate: last ? utc(new Date(`${last}T23:59:59`)) : null,
      subject: subject.trim() || null,
      textBody: text,
      // The service's own page can save it as HTML, which would be sent in place of this text.
      ...(vacation.isAtService && { htmlBody: null }),
    };
    if (!isBusy && await run(() => saveVacation(app, account.id, patch))) onClose();
  };
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="vacation" disabled={isBusy || isOn && !text.trim()}>
        Save
      </Button>
    </>
  );
  return (
    <Dialog title={`Vacation reply of ${account.name}`} isWide onClose={onClose} footer={buttons}>
      <form id="vacation" className="form" noValidate onSubmit={save}>
        <Switch label="Reply automatically" hint={where} isOn={isOn} onChange={setOn} />
        <TextField
          label="First day"
          type="date"
          hint="Leave empty to start now."
          value={first}
          onChange={setFirst}
        />
        <TextField
          label="Last day"
          type="date"
          hint="Leave empty to reply until you turn it off."
          value={last}
          onChange={setLast}
        />
        <TextField
          label="Subject"
          hint="Leave empty to use “Auto:” and the subject of the message."
          autoComplete="off"
          maxLength={400}
          value={subject}
          onChange={setSubject}
        />
        <div className="field">
          <label htmlFor={id}>Text</label>
          <textarea
            id={id}
            className="input"
            rows={8}
            aria-describedby={`${id}-hint`}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <p id={`${id}-hint`} className="field-hint">
            {vacation.isAtService
              ? "The service decides how often each sender gets a reply."
              : "Each sender gets one reply a week. Mailing lists and automatic messages get none."}
          </p>
        </div>
        {problem && <FieldProblem>{problem}</FieldProblem>}
      </form>
    </Dialog>
  );
}

/** The words of a reply that the service has as HTML only. */
function plainText(html: string | null | undefined): string {
  if (!html) return "";
  return new DOMParser().parseFromString(html, "text/html").body.textContent?.trim() ?? "";
}

/** The day here of a time, as a date field has it. */
function day(text: string | null): string {
  if (!text) return "";
  const at = new Date(text);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
