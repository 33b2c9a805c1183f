import type { EmailSubmission, Id } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { holdingOf } from "./holding.ts";
import { comingTime } from "./words.ts";

/** Tells whether the service took a message that it is to send at its time. */
export function followHandedOver(app: App, accountId: Id, submissionId: Id): void {
  let toast = app.toasts.show("Handing the message to the mail service…", { seconds: null });
  let isOver = false;
  let isWaiting = false;
  const look = async () => {
    const submission = await ask(app, accountId, submissionId);
    if (isOver || submission === undefined) return;
    if (!isWaiting && submission && waits(submission)) {
      // That may take long. The program tries again, and the end is still told.
      isWaiting = true;
      app.toasts.dismiss(toast);
      const [name, path] = new Date(submission.sendAt) > new Date()
        ? ["Scheduled", "scheduled"] as const
        : ["Outbox", "outbox"] as const;
      toast = app.toasts.show(`${submission.failure} mailkernel tries again. The message is in “${name}”.`, {
        seconds: 10,
        action: { label: "Show", run: () => app.router.go([path]) },
      });
      return;
    }
    const say = outcome(app, accountId, submission);
    if (!say) return;
    isOver = true;
    for (const stop of stops) stop();
    app.toasts.dismiss(toast);
    say();
  };
  const stops = [
    app.onChange((changedId, changed) => {
      if (changedId === accountId && "EmailSubmission" in changed) look();
    }),
    app.isReachable.subscribe(() => app.isReachable.value && look()),
  ];
  look();
}

/** Its service could not be given it, and is tried again. */
function waits({ sendState, failure, isScheduled }: EmailSubmission): boolean {
  return sendState === "queued" && failure !== null && !isScheduled;
}

/** Undefined: no answer. Null: the program no longer has it. */
async function ask(
  { client }: App,
  accountId: Id,
  id: Id,
): Promise<EmailSubmission | null | undefined> {
  try {
    const answer = await client.call<{ list: EmailSubmission[] }>("EmailSubmission/get", {
      accountId,
      ids: [id],
    });
    return answer.list[0] ?? null;
  } catch {
    return undefined;
  }
}

/** What is said in the end; null while it is being handed over. */
function outcome(app: App, accountId: Id, submission: EmailSubmission | null): (() => void) | null {
  const { router, toasts } = app;
  if (!submission) {
    return () => toasts.show("The message is no longer in the Outbox. Look for it in “Scheduled” and Sent.");
  }
  const { undoStatus, isScheduled, sendState, failure } = submission;
  const at = new Date(submission.sendAt);
  const show = (path: string) => ({ label: "Show", run: () => router.go([path]) });
  if (undoStatus === "canceled") return () => {};
  // The program's notice says the rest.
  if (isScheduled) return () => holdingOf(app).forget(accountId);
  if (sendState === "sent") {
    if (at <= new Date()) return () => toasts.show("Message sent");
    return () =>
      toasts.show(`The mail service sends the message ${comingTime(at)}`, {
        seconds: 10,
        action: show("scheduled"),
      });
  }
  return sendState === "failed"
    ? () => toasts.problem(`${failure ?? ""} The message is in the Outbox.`.trim(), show("outbox"))
    : null;
}
