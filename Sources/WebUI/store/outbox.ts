import { words } from "../jmap/errors.ts";
import type { EmailHeader, EmailSubmission, HoldLimits, Id } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import { Observable } from "../base/observable.ts";
import { refuse, type Status } from "./records.ts";
import { comingTime, utc } from "./words.ts";

/** A message that is still to be sent, or could not be. */
export interface Waiting {
  accountId: Id;
  submission: EmailSubmission;
  email: EmailHeader | undefined;
}

const MOST = 100;

/** What waits to be sent in all accounts. */
export class Outbox extends Observable {
  status: Status = "empty";
  problem: string | null = null;
  list: Waiting[] = [];
  /** Those that the user sends later, the next first. */
  scheduled: Waiting[] = [];
  /** Those that the service is to send, until it has them. */
  readonly #handed = new Map<Id, Date>();
  readonly #limits = new Map<Id, HoldLimits>();
  #loading = false;
  #again = false;
  /** Listens no more. */
  readonly end: () => void;

  constructor(private readonly app: App) {
    super();
    this.end = app.onChange((_, changed) => {
      if ("EmailSubmission" in changed) this.load();
    });
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
        this.list = all.filter(({ submission }) => !submission.isScheduled);
        this.scheduled = all.filter(({ submission }) => submission.isScheduled)
          .sort((one, other) => one.submission.sendAt.localeCompare(other.submission.sendAt));
        this.status = "ready";
        this.problem = null;
        this.#tellOfHanded(all);
      } catch (error) {
        if (this.status !== "ready") this.status = "failed";
        this.problem = words(error);
      }
      this.changed();
    } while (this.#again);
    this.#loading = false;
  }

  #tellOfHanded(all: Waiting[]): void {
    for (const [id, at] of this.#handed) {
      const waiting = all.find(({ submission }) => submission.id === id);
      if (waiting?.submission.isHandedOver) continue;
      this.#handed.delete(id);
      if (!waiting) this.app.toasts.show(`The service sends the message ${comingTime(at)}. It is in Sent.`);
    }
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
    this.#handed.set(submission.id, new Date(submission.sendAt));
    await this.#update(accountId, submission.id, { isHandedOver: true });
  }

  /** Asks the services of scheduled messages, once each, whether they hold messages. */
  async askServices(): Promise<void> {
    const accounts = new Set(this.scheduled.map(({ accountId }) => accountId));
    await Promise.all(
      [...accounts].filter((id) => !this.#limits.has(id)).map(async (accountId) => {
        this.#limits.set(accountId, { maxSeconds: null, latest: null });
        const limits = await this.app.client.call<HoldLimits>("EmailSubmission/holdLimits", { accountId })
          .catch(() => null);
        // A service that cannot be asked now is asked the next time.
        if (limits?.maxSeconds == null) return void this.#limits.delete(accountId);
        this.#limits.set(accountId, limits);
        this.changed();
      }),
    );
  }

  /** Whether its service can send it at its time. */
  canHandOver({ accountId, submission: { sendAt } }: Waiting): boolean {
    const { maxSeconds, latest } = this.#limits.get(accountId) ?? { maxSeconds: null, latest: null };
    const at = Date.parse(sendAt);
    return maxSeconds !== null && at > Date.now() && at <= Date.now() + 1000 * maxSeconds &&
      (latest === null || at <= Date.parse(latest));
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
      submission.undoStatus !== "canceled" && ["queued", "sending", "failed"].includes(submission.sendState)
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
