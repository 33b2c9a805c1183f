import type { Sent } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";
import type { EmailSubmission, Id } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";
import { refuse } from "../../store/records.ts";

/** Opens a draft again, after “Undo” or to mend what could not be sent. */
type Reopen = (accountId: Id, emailId: Id) => void;

/** How long another window has to say that it is there. */
const PATIENCE = 200;

/** Tells how it goes with what was sent, from the countdown to the end, in one window of those that are open. */
export class Sending {
  readonly #channel = new BroadcastChannel("mailkernel-sending");

  constructor(private readonly app: App, private readonly reopen: Reopen, canTakeOver: () => boolean) {
    this.#channel.addEventListener("message", ({ data }) => {
      if (data.asks && canTakeOver()) this.#channel.postMessage({ offers: app.windowId, to: data.asks });
      if (data.sent && data.to === app.windowId) this.follow(data.sent as Sent);
    });
  }

  /** Leaves it to a window that stays open. False if there is none. */
  handOver(sent: Sent): Promise<boolean> {
    return new Promise((resolve) => {
      const heard = ({ data }: MessageEvent) => {
        if (data.to !== this.app.windowId || !data.offers) return;
        this.#channel.postMessage({ sent, to: data.offers });
        end(true);
      };
      const end = (isTaken: boolean) => {
        clearTimeout(timer);
        this.#channel.removeEventListener("message", heard);
        resolve(isTaken);
      };
      const timer = setTimeout(() => end(false), PATIENCE);
      this.#channel.addEventListener("message", heard);
      this.#channel.postMessage({ asks: this.app.windowId });
    });
  }

  follow(sent: Sent): void {
    const { app } = this;
    const seconds = Math.max(0, sent.undoSeconds);
    const toast = app.toasts.show(seconds > 0 ? "Your message will be sent" : "Sending…", {
      seconds: seconds > 0 ? seconds : null,
      hasCountdown: seconds > 0,
      action: seconds > 0 ? { label: "Undo", run: () => this.#undo(sent, stop) } : null,
      onEnd: () => goOn(),
    });
    let shown: number | null = toast;
    let isOver = false;
    const stop = () => {
      isOver = true;
      unsubscribe();
    };
    const look = async () => {
      const submission = await this.#ask(sent);
      if (isOver) return;
      const end = this.#end(submission, sent);
      if (!end) return;
      stop();
      if (shown !== null) app.toasts.dismiss(shown);
      end();
    };
    const unsubscribe = app.onChange((accountId, changed) => {
      if (accountId === sent.accountId && "EmailSubmission" in changed) look();
    });
    // The countdown is over, or was put away: what follows is said in its place.
    const goOn = () => {
      if (isOver) return;
      shown = app.toasts.show("Sending…", { seconds: null });
      look();
    };
    // Without a countdown it may be out before anybody listened.
    if (seconds === 0) look();
  }

  async #ask({ accountId, submissionId }: Sent): Promise<EmailSubmission | null> {
    try {
      const answer = await this.app.client.call<{ list: EmailSubmission[] }>("EmailSubmission/get", {
        accountId,
        ids: [submissionId],
      });
      return answer.list[0] ?? null;
    } catch {
      return null;
    }
  }

  /** What is said at the end, or null while there is more to come. */
  #end(submission: EmailSubmission | null, sent: Sent): (() => void) | null {
    const { toasts } = this.app;
    if (!submission) return null;
    if (submission.undoStatus === "canceled") return () => {};
    switch (submission.sendState) {
      case "sent":
        return () => toasts.show("Message sent");
      case "failed":
        return () => this.#failed(sent, submission);
      case "queued":
        return submission.failure
          ? () => toasts.show(`${submission.failure} Your message waits in the Outbox.`, { seconds: 10 })
          : null;
      default:
        return null;
    }
  }

  #failed(sent: Sent, submission: EmailSubmission): void {
    // It may have arrived: nobody is to send it again without having read that.
    if (submission.mayHaveBeenSent) {
      this.app.toasts.show(`${submission.failure ?? ""} It is in the Outbox.`.trim(), {
        kind: "problem",
        seconds: null,
      });
      return;
    }
    this.app.toasts.show("Couldn't send message. Tap to retry.", {
      kind: "problem",
      seconds: null,
      isTappable: true,
      action: {
        label: "Retry",
        run: async () => {
          try {
            await this.#update(sent, { sendState: "queued" });
            this.follow({ ...sent, undoSeconds: 0 });
          } catch (error) {
            this.app.toasts.problem(words(error));
          }
        },
      },
      second: { label: "Edit", run: () => this.#undo(sent, () => {}) },
    });
  }

  async #undo(sent: Sent, stop: () => void): Promise<void> {
    stop();
    try {
      await this.#update(sent, { undoStatus: "canceled" });
      this.reopen(sent.accountId, sent.emailId);
    } catch (error) {
      this.app.toasts.problem(words(error));
    }
  }

  async #update({ accountId, submissionId }: Sent, patch: Record<string, unknown>): Promise<void> {
    refuse(
      await this.app.client.call("EmailSubmission/set", { accountId, update: { [submissionId]: patch } }),
    );
  }
}
