import { Observable } from "../base/observable.ts";
import type { JMAPClient } from "../jmap/client.ts";
import type { HoldLimits, Id } from "../jmap/types.ts";
import type { App } from "./app.ts";

/** The program's `maxDelayedSend`. */
export const MOST_DAYS = 366;

const DAY_MS = 86_400_000;

/** For how long the services of accounts hold messages, so that they are sent while this computer is off. */
export class Holding extends Observable {
  readonly #limits = new Map<Id, HoldLimits>();
  readonly #asking = new Map<Id, Promise<void>>();

  constructor(private readonly client: JMAPClient) {
    super();
  }

  /** Asks a service once. One that holds nothing, or that cannot be asked now, is asked again the next time. */
  ask(accountId: Id): Promise<void> {
    if (this.#limits.has(accountId)) return Promise.resolve();
    let asking = this.#asking.get(accountId);
    if (!asking) {
      asking = this.#ask(accountId);
      this.#asking.set(accountId, asking);
      this.changed();
    }
    return asking;
  }

  async #ask(accountId: Id): Promise<void> {
    const limits = await this.client.call<HoldLimits>("EmailSubmission/holdLimits", { accountId })
      .catch(() => null);
    if (limits?.maxSeconds != null) this.#limits.set(accountId, limits);
    this.#asking.delete(accountId);
    this.changed();
  }

  /** It has refused a message: it is asked again the next time. */
  forget(accountId: Id): void {
    if (this.#limits.delete(accountId)) this.changed();
  }

  isAsking(accountId: Id): boolean {
    return this.#asking.has(accountId);
  }

  /**
   * Until when its service holds a message that it gets now, as far as the user can choose; null if it does not, as far
   * as is known.
   */
  until(accountId: Id, now = Date.now()): Date | null {
    const limits = this.#limits.get(accountId);
    if (limits?.maxSeconds == null) return null;
    const latest = limits.latest === null ? Infinity : Date.parse(limits.latest);
    const until = now + Math.min(1000 * limits.maxSeconds, MOST_DAYS * DAY_MS);
    const least = Math.min(until, Number.isNaN(latest) ? now : latest);
    return least > now ? new Date(least) : null;
  }

  /** Whether its service can stop a message that it holds, as far as is known. */
  canCancel(accountId: Id): boolean {
    return this.#limits.get(accountId)?.canCancel === true;
  }

  /** Whether its service can send a message at that time. */
  can(accountId: Id, at: Date, now = Date.now()): boolean {
    const until = this.until(accountId, now);
    return until !== null && at.getTime() > now && at <= until;
  }
}

const known = new WeakMap<App, Holding>();

export function holdingOf(app: App): Holding {
  let holding = known.get(app);
  if (!holding) {
    holding = new Holding(app.client);
    known.set(app, holding);
  }
  return holding;
}
