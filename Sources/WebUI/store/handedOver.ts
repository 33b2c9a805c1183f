import type { EmailSubmission, Id } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { comingTime } from "./words.ts";

/** The parts of the app that it needs. */
type Place = Pick<App, "client" | "isReachable" | "onChange" | "router" | "toasts">;

/** Tells whether the service took a message that it is to send at its time. */
export function followHandedOver(app: Place, accountId: Id, submissionId: Id): void {
  const toast = app.toasts.show("Handing the message to the mail service…", { seconds: null });
  let isOver = false;
  const look = async () => {
    const submission = await ask(app, accountId, submissionId);
    const say = submission === undefined ? null : outcome(app, submission);
    if (isOver || !say) return;
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

/** Undefined: no answer. Null: the program no longer has it. */
async function ask(
  { client }: Place,
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
function outcome({ router, toasts }: Place, submission: EmailSubmission | null): (() => void) | null {
  if (!submission) return () => toasts.show("The message is no longer in the Outbox. Look for it in Sent.");
  const { undoStatus, isScheduled, sendState, failure } = submission;
  const time = comingTime(new Date(submission.sendAt));
  const show = (path: string) => ({ label: "Show", run: () => router.go([path]) });
  if (undoStatus === "canceled") return () => {};
  if (isScheduled) {
    const here = `It will be sent from this computer ${time}: the computer must be on then.`;
    return () => toasts.problem(`${failure ?? ""} ${here}`.trim(), show("scheduled"));
  }
  if (sendState === "sent") {
    return () =>
      toasts.show(`The mail service sends the message ${time}`, { seconds: 10, action: show("scheduled") });
  }
  if (sendState === "failed") {
    return () => toasts.problem(`${failure ?? ""} The message is in the Outbox.`.trim(), show("outbox"));
  }
  return sendState === "queued" && failure
    ? () =>
      toasts.show(`${failure} The message is in “Scheduled”.`, { seconds: 10, action: show("scheduled") })
    : null;
}
