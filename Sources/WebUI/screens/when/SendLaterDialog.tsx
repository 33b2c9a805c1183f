import { useId, useLayoutEffect, useState } from "react";
import { useObservable } from "../../base/observable.ts";
import type { Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { holdingOf } from "../../store/holding.ts";
import { ASKING, limitOf, MOST_DAYS, MUST_RUN } from "./sendLater.ts";
import { WhenDialog } from "./WhenDialog.tsx";

interface SendLaterDialogProps {
  accountId: Id;
  /** This computer is chosen at first: the service has refused. */
  isHere?: boolean;
  /** - Parameter isByService: the mail service gets the message, and sends it then. */
  onChoose: (at: Date, isByService: boolean) => void;
  onClose: () => void;
}

/** When a message is sent, and by whom: the mail service where that can hold it so long, else this computer. */
export function SendLaterDialog(
  { accountId, isHere: wasHere = false, onChoose, onClose }: SendLaterDialogProps,
) {
  const holding = useObservable(holdingOf(useApp()));
  const [isHere, setHere] = useState(wasHere);
  useLayoutEffect(() => void holding.ask(accountId), [holding, accountId]);
  const until = holding.until(accountId);
  const isByService = (at: Date) => !isHere && holding.can(accountId, at);
  const say = (at: Date) => isByService(at) ? "by the mail service" : "from this computer";
  const senders = (until: Date) => (at: Date | null) => (
    <Senders
      accountId={accountId}
      until={until}
      isPossible={at === null || holding.can(accountId, at)}
      isHere={isHere}
      onChange={setHere}
    />
  );
  const note = until ? senders(until) : holding.isAsking(accountId) ? ASKING : MUST_RUN;
  return (
    <WhenDialog
      title="Send later"
      note={note}
      say={until ? say : undefined}
      mostDays={MOST_DAYS}
      onChoose={(at) => onChoose(at, isByService(at))}
      onClose={onClose}
    />
  );
}

interface SendersProps {
  accountId: Id;
  until: Date;
  /** The service can send it at the time that was entered. */
  isPossible: boolean;
  isHere: boolean;
  onChange: (isHere: boolean) => void;
}

function Senders({ accountId, until, isPossible, isHere, onChange }: SendersProps) {
  const app = useApp();
  const name = app.account(accountId)?.name ?? "this account";
  const service = [
    "Also while this computer is off.",
    holdingOf(app).canCancel(accountId)
      ? "Once the time to undo is over, it can be stopped but not changed."
      : "It can’t be changed or stopped once the time to undo is over.",
  ];
  return (
    <fieldset className="when-senders">
      <legend>Sent by</legend>
      <Sender
        label={`The mail service of ${name}`}
        hint={[...service, ...limitOf(until)].join(" ")}
        isChosen={!isHere && isPossible}
        isDisabled={!isPossible}
        onChoose={() => onChange(false)}
      />
      <Sender
        label="This computer"
        hint="It can be changed or stopped until then. This computer must be on, with mailkernel running; what is late is sent at the next start."
        isChosen={isHere || !isPossible}
        onChoose={() => onChange(true)}
      />
    </fieldset>
  );
}

function Sender(
  { label, hint, isChosen, isDisabled = false, onChoose }: {
    label: string;
    hint: string;
    isChosen: boolean;
    isDisabled?: boolean;
    onChoose: () => void;
  },
) {
  const id = useId();
  return (
    <div className="when-sender">
      <input
        id={id}
        type="radio"
        name="when-sender"
        checked={isChosen}
        disabled={isDisabled}
        aria-describedby={`${id}-hint`}
        onChange={onChoose}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <p id={`${id}-hint`} className="field-hint">{hint}</p>
      </div>
    </div>
  );
}
