import type { Sent } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";
import type { EmailSubmission, Id } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";
import { followHandedOver } from "../../store/handedOver.ts";
import { refuse } from "../../store/records.ts";
import { comingTime } from "../../store/words.ts";
import type { Toast } from "../../base/toasts.ts";
import { type Reopen, tellNotSent } from "./notSent.ts";

/** The result is unknown while the program does not respond. */
export const UNKNOWN =
  "It is unknown whether your message was sent. You will see the result once mailkernel responds.";

/** Tells how it goes with one message that was sent, in one toast, from the countdown to the end. */
export class Following {
  #toast: number | null = null;
  /** When the time to take it back is over; for a toast that goes away sooner was put away. */
  #until = 0;
  #isPutAway = false;
  #isOver = false;
  /** The displayed state is a guess, because the connection was lost. The next response settles it. */
  #isUnsure = false;
  /** The program was gone: a later cancellation did not come from this window. */
  #wasLost = false;
  readonly #stops: (() => void)[];

  /** - Parameter found: what the program said of it, if the page opened after it was sent. */
  constructor(
    private readonly app: App,
    private readonly sent: Sent,
    private readonly reopen: Reopen,
    found: EmailSubmission | null = null,
    /** What follows when the user takes it back in time. */
    private readonly undone: Reopen = reopen,
  ) {
    this.#stops = [
      app.onChange((accountId, changed) => {
        if (accountId === sent.accountId && "EmailSubmission" in changed) this.#look();
      }),
      app.isReachable.subscribe(() => app.isReachable.value ? this.#look() : this.#lost()),
    ];
    if (found) this.#read(found);
    else if (sent.undoSeconds > 0) this.#count(sent.undoSeconds);
    else {
      this.#tell("Sending…");
      // It may have been sent before this started listening.
      this.#isUnsure = true;
      this.#look();
    }
  }

  #count(seconds: number): void {
    this.#until = performance.now() + seconds * 1000;
    const { isHandedOver, sendAt } = this.sent;
    const service = () => `The mail service will send your message ${comingTime(new Date(sendAt))}`;
    this.#tell(isHandedOver ? service() : "Your message will be sent", {
      seconds,
      hasCountdown: true,
      action: { label: "Undo", run: () => this.#undo() },
    });
  }

  #tell(text: string, options: Partial<Toast> = {}): void {
    if (this.#isPutAway) return;
    const said = {
      text,
      seconds: null,
      hasCountdown: false,
      action: null,
      onEnd: () => this.#gone(),
      ...options,
    };
    if (this.#toast === null) this.#toast = this.app.toasts.show(text, said);
    else this.app.toasts.update(this.#toast, said);
  }

  /** The toast is gone: its time is over, or the user dismissed it and only wants the result. */
  #gone(): void {
    this.#toast = null;
    if (this.#isOver) return;
    this.#isPutAway = performance.now() < this.#until - 100 || this.#until === 0;
    this.#until = 0;
    this.#isUnsure = true;
    this.#look();
  }

  #lost(): void {
    this.#isUnsure = true;
    this.#wasLost = true;
    this.#until = 0;
    this.#tell(UNKNOWN);
  }

  async #look(): Promise<void> {
    const submission = await this.#ask();
    if (submission !== undefined) this.#read(submission);
  }

  #read(submission: EmailSubmission | null): void {
    if (this.#isOver) return;
    const end = this.#end(submission);
    if (end) return this.#over(end);
    // The undo delay is paused while no window is visible, and the program reports the remaining time.
    const due = submission?.isHandedOver ? submission.nextTryAt : submission?.sendAt;
    const left = (Date.parse(due ?? "") - Date.now()) / 1000;
    if (submission?.undoStatus === "pending" && left > 1) {
      if (this.#until === 0) this.#count(left);
    } else if (this.#isUnsure) this.#tell("Sending…");
    this.#isUnsure = false;
  }

  /** Undefined: no response. Null: the program no longer has it. */
  async #ask(): Promise<EmailSubmission | null | undefined> {
    const { accountId, submissionId } = this.sent;
    try {
      const answer = await this.app.client.call<{ list: EmailSubmission[] }>("EmailSubmission/get", {
        accountId,
        ids: [submissionId],
      });
      return answer.list[0] ?? null;
    } catch {
      return undefined;
    }
  }

  #over(say: () => void): void {
    this.#isOver = true;
    for (const stop of this.#stops) stop();
    if (this.#toast !== null) this.app.toasts.dismiss(this.#toast);
    say();
  }

  /** The final message, or null if it is not final yet. */
  #end(submission: EmailSubmission | null): (() => void) | null {
    const { toasts } = this.app;
    if (!submission) {
      return () => toasts.show("Your message is no longer in the Outbox. Look for it in Sent.");
    }
    if (submission.undoStatus === "canceled") {
      return () => (this.#isUnsure || this.#wasLost) && this.#notSent();
    }
    const { accountId, submissionId, isHandedOver } = this.sent;
    if (submission.isHandedOver && submission.undoStatus === "pending") return null;
    if (isHandedOver) return () => followHandedOver(this.app, accountId, submissionId);
    switch (submission.sendState) {
      case "sent":
        return () => toasts.show("Message sent");
      case "failed":
        return () => this.#failed(submission);
      case "queued":
        return submission.failure ? () => this.#waits(submission) : null;
      default:
        return null;
    }
  }

  /** Most likely the program ended before the time to take it back was over. */
  #notSent(): void {
    tellNotSent(this.app, this.sent, this.reopen);
  }

  #waits({ failure, mayHaveBeenSent }: EmailSubmission): void {
    const undo = { label: "Undo", run: () => this.#takeBackOrSay() };
    this.app.toasts.show(`${failure} Your message is waiting in the Outbox.`, {
      seconds: 10,
      action: mayHaveBeenSent ? null : undo,
    });
  }

  #failed(submission: EmailSubmission): void {
    // It may have arrived: the user must read this before sending it again.
    if (submission.mayHaveBeenSent) {
      this.app.toasts.show(`${submission.failure ?? ""} It is in the Outbox.`.trim(), {
        kind: "problem",
        seconds: null,
      });
      return;
    }
    this.app.toasts.show(`Couldn't send message. Tap to retry. ${submission.failure ?? ""}`.trim(), {
      kind: "problem",
      seconds: null,
      isTappable: true,
      action: {
        label: "Retry",
        run: async () => {
          try {
            await this.#update({ sendState: "queued" });
            new Following(this.app, { ...this.sent, undoSeconds: 0 }, this.reopen);
          } catch (error) {
            this.app.toasts.problem(words(error));
          }
        },
      },
      second: {
        label: "Edit",
        run: () => this.#takeBackOrSay(this.sent.submissionId),
      },
    });
  }

  async #undo(): Promise<void> {
    this.#toast = null;
    this.#until = 0;
    try {
      await this.#takeBack();
    } catch (error) {
      this.app.toasts.problem(words(error));
      // It is being sent, which is reported as before.
      if (this.app.isReachable.value) this.#tell("Sending…");
      this.#look();
    }
  }

  #takeBackOrSay(failed?: Id): Promise<unknown> {
    return this.#takeBack(failed).catch((error) => this.app.toasts.problem(words(error)));
  }

  async #takeBack(failed?: Id): Promise<void> {
    await this.#update({ undoStatus: "canceled" });
    const { archived = [] } = this.sent;
    if (failed === undefined && archived.length > 0) void this.app.actions.undoRest(archived);
    const next = failed === undefined ? this.undone : this.reopen;
    this.#over(() => next(this.sent.accountId, this.sent.emailId, failed));
  }

  async #update(patch: Record<string, unknown>): Promise<void> {
    const { accountId, submissionId } = this.sent;
    const update = { [submissionId]: patch };
    refuse(await this.app.client.call("EmailSubmission/set", { accountId, update }));
  }
}
