import { useEffect } from "react";
import { useApp } from "../../store/app.ts";
import { useObservable, useValue } from "../../base/observable.ts";
import type { Outbox, Waiting } from "../../store/outbox.ts";
import { recipients, shortTime, subjectOf } from "../../store/words.ts";
import { useSave } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { EmptyState, FailedState, Spinner } from "../../ui/states.tsx";
import { openComposer } from "../composer/open.tsx";

/** The outbox: why messages are waiting, and the available actions. */
export function OutboxPane({ outbox }: { outbox: Outbox }) {
  useObservable(outbox);
  useEffect(() => {
    outbox.load();
  }, [outbox]);
  if (outbox.status === "failed") {
    return (
      <FailedState
        title="The Outbox could not be loaded"
        reason={outbox.problem ?? ""}
        retry={() => outbox.load()}
      />
    );
  }
  if (outbox.status !== "ready") {
    return (
      <div className="center">
        <Spinner label="Loading the Outbox" />
      </div>
    );
  }
  if (outbox.list.length === 0) {
    return (
      <EmptyState
        icon="outbox"
        title="The Outbox is empty"
        text="Messages stay here until they are sent."
      />
    );
  }
  return (
    <ul className="outbox" aria-label="Messages to be sent">
      {outbox.list.map((waiting) => (
        <OutboxItem key={waiting.submission.id} outbox={outbox} waiting={waiting} />
      ))}
    </ul>
  );
}

interface ItemProps {
  outbox: Outbox;
  waiting: Waiting;
}

function OutboxItem({ outbox, waiting }: ItemProps) {
  const isReachable = useValue(useApp().isReachable);
  const { submission, email } = waiting;
  const isFailed = submission.sendState === "failed";
  return (
    <li className="outbox-item">
      <p className="outbox-to">{email ? recipients(email) : "A message"}</p>
      <p className="outbox-subject">{email ? subjectOf(email) : ""}</p>
      <p className={isFailed ? "outbox-failed" : "outbox-state"}>
        <Icon name={isFailed ? "warning" : "clock"} /> {stateText(waiting, isReachable)}
      </p>
      <ItemActions outbox={outbox} waiting={waiting} />
    </li>
  );
}

function ItemActions({ outbox, waiting }: ItemProps) {
  const app = useApp();
  const isReachable = useValue(app.isReachable);
  const { isSaving, save } = useSave();
  const { accountId, submission: { id, emailId, sendState, nextTryAt, mayHaveBeenSent } } = waiting;
  const isBusy = isSaving || !isReachable;
  const isFailed = sendState === "failed";
  const edit = async () => {
    await outbox.cancel(waiting);
    const submissionId = isFailed ? id : undefined;
    openComposer(app, { mode: "new", accountId, draftEmailId: emailId, submissionId });
  };
  const cancel = async () => {
    await outbox.cancel(waiting);
    app.toasts.show("Not sent. The message is in Drafts again.");
  };
  return (
    <div className="outbox-actions">
      {(isFailed || nextTryAt) && (
        <Button
          icon="refresh"
          disabled={isBusy}
          onClick={() => save(() => outbox.retry(waiting))}
        >
          {mayHaveBeenSent ? "Send again" : "Retry"}
        </Button>
      )}
      {sendState !== "sending" && (
        <>
          <Button icon="compose" disabled={isBusy} onClick={() => save(edit)}>Edit</Button>
          <Button icon="close" disabled={isBusy} onClick={() => save(cancel)}>Don’t send</Button>
        </>
      )}
    </div>
  );
}

function stateText({ submission }: Waiting, isReachable: boolean): string {
  if (submission.sendState === "failed") return submission.failure ?? "The message could not be sent.";
  // The program may have sent it, or taken it back, before it was gone.
  if (!isReachable) return "The result will be known once mailkernel responds.";
  if (submission.sendState === "sending") return "Sending…";
  if (submission.failure) {
    const next = submission.nextTryAt ? ` Next attempt at ${shortTime(submission.nextTryAt)}.` : "";
    return submission.failure + next;
  }
  return "Waiting to be sent";
}
