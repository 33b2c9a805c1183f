import { useEffect, useState } from "react";
import { useObservable, useValue } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import type { Outbox, Waiting } from "../../store/outbox.ts";
import { useSave } from "../../store/useTask.ts";
import { comingTime, recipients, subjectOf } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { EmptyState, FailedState, Spinner } from "../../ui/states.tsx";
import { openComposer } from "../composer/open.tsx";
import { MOST_DAYS, MUST_RUN } from "../when/sendLater.ts";
import { WhenDialog } from "../when/WhenDialog.tsx";
import { HandedOverItem } from "./HandedOverItem.tsx";

/** Messages that are sent later: when, and what can be done until then. */
export function ScheduledPane({ outbox }: { outbox: Outbox }) {
  useObservable(outbox);
  useEffect(() => {
    outbox.load();
  }, [outbox]);
  useEffect(() => {
    outbox.askServices();
  }, [outbox, outbox.scheduled]);
  if (outbox.status === "failed") {
    return (
      <FailedState
        title="Scheduled messages could not be loaded"
        reason={outbox.problem ?? ""}
        retry={() => outbox.load()}
      />
    );
  }
  if (outbox.status !== "ready") {
    return (
      <div className="center">
        <Spinner label="Loading scheduled messages" />
      </div>
    );
  }
  if (outbox.scheduled.length === 0) {
    return (
      <EmptyState
        icon="clock"
        title="Nothing is scheduled"
        text="“Send later” in a message lists it here until its time."
      />
    );
  }
  return (
    <>
      {outbox.scheduled.some(({ submission }) => submission.isScheduled) && (
        <p className="outbox-note">{MUST_RUN}</p>
      )}
      <ul className="outbox" aria-label="Scheduled messages">
        {outbox.scheduled.map((waiting) => {
          const Item = waiting.submission.isScheduled ? ScheduledItem : HandedOverItem;
          return <Item key={waiting.submission.id} outbox={outbox} waiting={waiting} />;
        })}
      </ul>
    </>
  );
}

function ScheduledItem({ outbox, waiting }: { outbox: Outbox; waiting: Waiting }) {
  const app = useApp();
  const isReachable = useValue(app.isReachable);
  const { isSaving, save } = useSave();
  const [isChoosing, setChoosing] = useState(false);
  const { accountId, submission, email } = waiting;
  const isBusy = isSaving || !isReachable;
  const at = new Date(submission.sendAt);
  const edit = async () => {
    await outbox.cancel(waiting);
    openComposer(app, { mode: "new", accountId, draftEmailId: submission.emailId });
  };
  const handOver = async () => {
    const isYes = await app.dialogs.confirm({
      title: "Let the service send this message?",
      text:
        `${app.account(accountId)?.name ?? "The account"}’s mail service keeps it and sends it ${
          comingTime(at)
        }, ` +
        `also while this computer is off. ${
          outbox.canStopLater(accountId)
            ? "You can stop it until then, but not change it."
            : "After that it can’t be changed or stopped here."
        }`,
      confirm: "Let the service send it",
    });
    if (isYes) await outbox.handOver(waiting);
  };
  const cancel = async () => {
    await outbox.cancel(waiting);
    app.toasts.show("Not sent. The message is in Drafts again.");
  };
  return (
    <li className="outbox-item">
      <p className="outbox-to">{email ? recipients(email) : "A message"}</p>
      <p className="outbox-subject">{email ? subjectOf(email) : ""}</p>
      <p className="outbox-state">
        <Icon name="clock" /> {at > new Date() ? `Will be sent ${comingTime(at)}` : "Waiting to be sent"}
      </p>
      {submission.failure && <p className="outbox-failed">{submission.failure}</p>}
      <div className="outbox-actions">
        <Button icon="send" disabled={isBusy} onClick={() => save(() => outbox.retry(waiting))}>
          Send now
        </Button>
        <Button icon="clock" disabled={isBusy} onClick={() => setChoosing(true)}>Change time</Button>
        {outbox.canHandOver(waiting) && (
          <Button
            icon="outbox"
            disabled={isBusy}
            onClick={() => save(handOver)}
          >
            Let the service send it
          </Button>
        )}
        <Button icon="compose" disabled={isBusy} onClick={() => save(edit)}>Edit</Button>
        <Button icon="close" disabled={isBusy} onClick={() => save(cancel)}>Don’t send</Button>
      </div>
      {isChoosing && (
        <WhenDialog
          title="Send later"
          note={MUST_RUN}
          mostDays={MOST_DAYS}
          onClose={() => setChoosing(false)}
          onChoose={(at) => {
            setChoosing(false);
            save(() => outbox.reschedule(waiting, at));
          }}
        />
      )}
    </li>
  );
}
