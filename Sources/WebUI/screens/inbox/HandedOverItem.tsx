import { useValue } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { isHeld, type Outbox, type Waiting } from "../../store/outbox.ts";
import { useSave } from "../../store/useTask.ts";
import { comingTime, listed, recipients, subjectOf } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";

/** A message that the service sends later: when, and whether it can be stopped until then. */
export function HandedOverItem({ outbox, waiting }: { outbox: Outbox; waiting: Waiting }) {
  const app = useApp();
  const { accountId, submission, email } = waiting;
  const time = comingTime(new Date(submission.sendAt));
  const name = app.account(accountId)?.name;
  const service = name ? `The mail service of ${name}` : "The mail service";
  const to = (submission.envelope?.rcptTo ?? []).map((one) => one.email);
  return (
    <li className="outbox-item">
      <p className="outbox-to">{email ? recipients(email) : to.length > 0 ? listed(to) : "A message"}</p>
      <p className="outbox-subject">{email ? subjectOf(email) : ""}</p>
      {isHeld(submission)
        ? <AtService outbox={outbox} waiting={waiting} service={service} time={time} />
        : <OnItsWay outbox={outbox} waiting={waiting} time={time} />}
    </li>
  );
}

interface AtServiceProps {
  outbox: Outbox;
  waiting: Waiting;
  service: string;
  time: string;
}

/** The service has it. Some services can stop it. */
function AtService({ outbox, waiting, service, time }: AtServiceProps) {
  const app = useApp();
  const isReachable = useValue(app.isReachable);
  const { isSaving, save } = useSave();
  const canStop = outbox.canStop(waiting);
  const stop = async () => {
    await outbox.cancel(waiting);
    app.toasts.show("Not sent. The message is in Drafts.");
  };
  return (
    <>
      <p className="outbox-state">
        <Icon name="outbox" /> The service sends it {time}
      </p>
      <p className="outbox-state">
        {service} has the message and sends it also while this computer is off.{" "}
        {canStop ? "You can stop it until then." : "It can’t be changed or stopped here."}
      </p>
      {canStop && (
        <div className="outbox-actions">
          <Button icon="close" disabled={isSaving || !isReachable} onClick={() => save(stop)}>
            Don’t send
          </Button>
        </div>
      )}
    </>
  );
}

/** Until the service has it, it can be taken back. */
function OnItsWay({ outbox, waiting, time }: { outbox: Outbox; waiting: Waiting; time: string }) {
  const app = useApp();
  const isReachable = useValue(app.isReachable);
  const { isSaving, save } = useSave();
  const { sendState, undoStatus, failure, mayHaveBeenSent } = waiting.submission;
  const state = undoStatus === "pending"
    ? `The service gets the message in a moment, and sends it ${time}`
    : failure
    ? `To be sent ${time}. The service does not have the message yet; mailkernel tries again.`
    : `The service is getting the message, and sends it ${time}`;
  const cancel = async () => {
    await outbox.cancel(waiting);
    app.toasts.show("Not sent. The message is in Drafts again.");
  };
  return (
    <>
      <p className="outbox-state">
        <Icon name="clock" /> {state}
      </p>
      {failure && <p className="outbox-failed">{failure}</p>}
      {sendState === "queued" && !mayHaveBeenSent && (
        <div className="outbox-actions">
          <Button icon="close" disabled={isSaving || !isReachable} onClick={() => save(cancel)}>
            Don’t send
          </Button>
        </div>
      )}
    </>
  );
}
