import { SetError, words } from "../jmap/errors.ts";
import type { EmailHeader, EmailSubmission, Id } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import { followHandedOver } from "./handedOver.ts";
import { holdingOf } from "./holding.ts";
import { Observable } from "../base/observable.ts";
import { refuse, type Status } from "./records.ts";
import { utc } from "./words.ts";

/** A message that is still to be sent, or could not be; or that its service is to send later. */
export interface Waiting {
  accountId: Id;
  submission: EmailSubmission;
  email: EmailHeader | undefined;
}

const MOST = 100;
/** The longest wait of a timer: the clock may be set, and the computer sleep. */
const LONGEST_WAIT = 3_600_000;

/** What waits to be sent in all accounts. */
export class Outbox extends Observable {
  status: Status = "empty";
  problem: string | null = null;
  list: Waiting[] = [];
  /** Those that are sent later, from here or by their service, the next first. */
  scheduled: Waiting[] = [];
  #timer: number | undefined;
  #loading = false;
  #again = false;
  /** Listens no more. */
  readonly end: () => void;

  constructor(private readonly app: App) {
    super();
    const stop = app.onChange((_, changed) => {
      if ("EmailSubmission" in changed) this.load();
    });
    this.end = () => {
      stop();
      clearTimeout(this.#timer);
    };
  }

  async load(): Promise<void> {
    if (this.#loading) {
      this.#again = true;
      return;
    }
    this.#loading = true;
    do {
      this.#again = false;
      try {
        const accounts = this.app.accounts.filter(({ id }) => {
          return this.app.client.has("urn:ietf:params:jmap:submission", id);
        });
        const all = (await Promise.all(accounts.map(({ id }) => this.#ask(id)))).flat();
        this.list = all.filter(({ submission }) => !isLater(submission));
        this.scheduled = all.filter(({ submission }) => isLater(submission))
          .sort((one, other) => one.submission.sendAt.localeCompare(other.submission.sendAt));
        this.status = "ready";
        this.problem = null;
        this.#planNext();
      } catch (error) {
        if (this.status !== "ready") this.status = "failed";
        this.problem = words(error);
      }
      this.changed();
    } while (this.#again);
    this.#loading = false;
  }

  /** At its time, what a service has is listed no more, and what it does not have yet is late. */
  #planNext(): void {
    clearTimeout(this.#timer);
    const next = this.scheduled.find(({ submission }) => submission.isHandedOver);
    if (!next) return;
    const wait = Math.min(LONGEST_WAIT, Date.parse(next.submission.sendAt) - Date.now());
    this.#timer = setTimeout(() => this.load(), Math.max(1000, wait));
  }

  /** Tries one that failed again, or sends a scheduled one now. */
  async retry({ accountId, submission }: Waiting): Promise<void> {
    await this.#update(accountId, submission.id, { sendState: "queued" });
  }

  /** Takes it back: it is a draft again. */
  async cancel({ accountId, submission }: Waiting): Promise<void> {
    await this.#update(accountId, submission.id, { undoStatus: "canceled" });
  }

  /** Lets the service send a scheduled message at its time. */
  async handOver({ accountId, submission }: Waiting): Promise<void> {
    try {
      await this.#update(accountId, submission.id, { isHandedOver: true });
    } catch (error) {
      if (error instanceof SetError && error.type === "forbidden") holdingOf(this.app).forget(accountId);
      this.changed();
      throw error;
    }
    followHandedOver(this.app, accountId, submission.id);
  }

  /** Asks the services of scheduled messages whether they hold messages, and stop those that they have. */
  async askServices(): Promise<void> {
    const accounts = new Set(this.scheduled.map(({ accountId }) => accountId));
    const holding = holdingOf(this.app);
    await Promise.all([...accounts].map((id) => holding.ask(id)));
    this.changed();
  }

  /** Whether its service can send it at its time. */
  canHandOver({ accountId, submission }: Waiting): boolean {
    return holdingOf(this.app).can(accountId, new Date(submission.sendAt));
  }

  /** Whether its service can stop it. */
  canStop({ accountId, submission }: Waiting): boolean {
    return isHeld(submission) && holdingOf(this.app).canCancel(accountId);
  }

  /** Whether its service can stop messages that it holds. */
  canStopLater(accountId: Id): boolean {
    return holdingOf(this.app).canCancel(accountId);
  }

  async reschedule({ accountId, submission }: Waiting, at: Date): Promise<void> {
    await this.#update(accountId, submission.id, { sendAt: utc(at) });
  }

  async #update(accountId: Id, id: Id, patch: Record<string, unknown>): Promise<void> {
    refuse(await this.app.client.call("EmailSubmission/set", { accountId, update: { [id]: patch } }));
    await this.load();
  }

  async #ask(accountId: Id): Promise<Waiting[]> {
    const batch = this.app.client.batch();
    const query = batch.add("EmailSubmission/query", {
      accountId,
      sort: [{ property: "sentAt", isAscending: false }],
      limit: MOST,
    });
    const submissions = batch.add<{ list: EmailSubmission[] }>("EmailSubmission/get", {
      accountId,
      "#ids": query.ref("/ids"),
    });
    await batch.send();
    const waiting = (await submissions.answer).list.filter((submission) =>
      submission.undoStatus !== "canceled" &&
      (["queued", "sending", "failed"].includes(submission.sendState) || isHeld(submission))
    );
    if (waiting.length === 0) return [];
    const { list } = await this.app.client.call<{ list: EmailHeader[] }>("Email/get", {
      accountId,
      ids: waiting.map((submission) => submission.emailId),
      properties: HEADER_PROPERTIES,
    });
    return waiting.map((submission) => ({
      accountId,
      submission,
      email: list.find((email) => email.id === submission.emailId),
    }));
  }
}

/** Its service has it, and sends it at its time. */
export function isHeld({ isHandedOver, sendState, sendAt }: EmailSubmission): boolean {
  return isHandedOver === true && sendState === "sent" && Date.parse(sendAt) > Date.now();
}

/** One whose service has not got it in time leaves from here, as soon as it can. */
function isLater({ isScheduled, isHandedOver, sendState, sendAt }: EmailSubmission): boolean {
  if (isScheduled) return true;
  return isHandedOver === true && sendState !== "failed" && Date.parse(sendAt) > Date.now();
}
