import type { Sent } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";
import type { Id } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";
import { Outbox, type Waiting } from "../../store/outbox.ts";
import { refuse } from "../../store/records.ts";
import { comingTime } from "../../store/words.ts";
import { Following } from "./following.ts";
import type { Reopen } from "./notSent.ts";

/** How many milliseconds another window has to say that it is there. The one that opened this one may be busy. */
const PATIENCE = { opener: 2000, stranger: 200 };

/** More toasts hide one another. */
const MOST_SHOWN = 2;

/** Ensures that one of the open windows reports the result of sending. */
export class Sending {
  readonly #followed = new Set<Id>();
  readonly #channel = new BroadcastChannel("mailkernel-sending");

  constructor(private readonly app: App, private readonly reopen: Reopen, canTakeOver: () => boolean) {
    this.#channel.addEventListener("message", ({ data }) => {
      if (data.asks && canTakeOver()) this.#channel.postMessage({ offers: app.windowId, to: data.asks });
      if (data.sent && data.to === app.windowId) this.follow(data.sent as Sent);
    });
  }

  /** Leaves it to a window that stays open: null. Else it is to be followed here, with the time that is left. */
  handOver(sent: Sent): Promise<Sent | null> {
    const began = performance.now();
    const now = () => {
      const undoSeconds = Math.max(0, sent.undoSeconds - (performance.now() - began) / 1000);
      return { ...sent, undoSeconds };
    };
    return new Promise((resolve) => {
      const heard = ({ data }: MessageEvent) => {
        if (data.to !== this.app.windowId || !data.offers) return;
        this.#channel.postMessage({ sent: now(), to: data.offers });
        end(null);
      };
      const end = (left: Sent | null) => {
        clearTimeout(timer);
        this.#channel.removeEventListener("message", heard);
        resolve(left);
      };
      const patience = self.opener && !self.opener.closed ? PATIENCE.opener : PATIENCE.stranger;
      const timer = setTimeout(() => end(now()), patience);
      this.#channel.addEventListener("message", heard);
      this.#channel.postMessage({ asks: this.app.windowId });
    });
  }

  follow(sent: Sent): void {
    this.#followed.add(sent.submissionId);
    if (sent.isScheduled) this.#tellScheduled(sent);
    else new Following(this.app, sent, this.reopen);
  }

  #tellScheduled({ accountId, submissionId, emailId, sendAt }: Sent): void {
    const { client, router, toasts } = this.app;
    const undo = async () => {
      try {
        const update = { [submissionId]: { undoStatus: "canceled" } };
        refuse(await client.call("EmailSubmission/set", { accountId, update }));
        this.reopen(accountId, emailId);
      } catch (error) {
        toasts.problem(words(error));
      }
    };
    toasts.show(`Your message will be sent ${comingTime(new Date(sendAt))}`, {
      seconds: 10,
      action: { label: "Undo", run: undo },
      second: { label: "Show", run: () => router.go(["scheduled"]) },
    });
  }

  /** Shows what waits to be sent as the page opens: the page that followed it may be closed. */
  async resume(): Promise<void> {
    // The window that opened this one shows it already.
    if (self.opener && !self.opener.closed) return;
    const outbox = new Outbox(this.app);
    await outbox.load();
    outbox.end();
    const handedOver = outbox.scheduled.filter(isCounting);
    const waiting = [...outbox.list, ...handedOver].filter(({ submission }) =>
      submission.sendState === "queued" && !this.#followed.has(submission.id)
    ).sort((one, other) => Number(isCounting(other)) - Number(isCounting(one)));
    const [shown, more] = [waiting.slice(0, MOST_SHOWN), waiting.slice(MOST_SHOWN)];
    if (more.length > 0) this.#tellOfMore(more.length);
    for (const { accountId, submission } of shown) {
      this.#followed.add(submission.id);
      const { id: submissionId, emailId, sendAt, isHandedOver = false } = submission;
      const sent = { accountId, submissionId, emailId, sendAt, undoSeconds: 0, isHandedOver };
      new Following(this.app, sent, this.reopen, submission);
    }
  }

  #tellOfMore(count: number): void {
    const text = count === 1 ? "One more message is waiting" : `${count} more messages are waiting`;
    this.app.toasts.show(`${text} in the Outbox.`, {
      seconds: 10,
      action: { label: "Show", run: () => this.app.router.go(["outbox"]) },
    });
  }
}

function isCounting({ submission }: Waiting): boolean {
  return submission.undoStatus === "pending" && !submission.isScheduled;
}
