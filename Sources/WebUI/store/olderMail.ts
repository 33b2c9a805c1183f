import { Observable } from "../base/observable.ts";
import type { JMAPClient } from "../jmap/client.ts";
import { words } from "../jmap/errors.ts";
import type { Id } from "../jmap/types.ts";
import type { FoundMail } from "../jmap/vendor.ts";
import type { Row, Source } from "./rows.ts";

const READING = "urn:mailkernel:reading";
/** So many are asked for at once. */
const PAGE = 25;

interface Answer {
  list: FoundMail[];
  nextPosition: number | null;
  isCut: boolean;
}

/** Whether an account has mail that is not on this device, and a service that can search it. */
export function hasOlderMail({ session }: JMAPClient, accountId: Id): boolean {
  const reading = session.accounts[accountId]?.accountCapabilities[READING] as
    | { hasOlderMail?: boolean }
    | undefined;
  return reading?.hasOlderMail ?? false;
}

/** A search at an account's service, for mail that is older than this device keeps. It begins when it is asked to. */
export class OlderMail extends Observable {
  status: "empty" | "searching" | "ready" | "failed" = "empty";
  list: FoundMail[] = [];
  problem: string | null = null;
  /** The service may have more than it was asked for. */
  isCut = false;
  #next: number | null = 0;
  #ending: AbortController | null = null;

  constructor(private readonly client: JMAPClient, private readonly source: Source) {
    super();
  }

  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** Searches, or goes on where the last page ended. */
  async search(): Promise<void> {
    if (this.status === "searching" || this.#next === null) return;
    const mine = this.#ending = new AbortController();
    this.#set("searching");
    const batch = this.client.batch();
    const { answer } = batch.add<Answer>("OlderMail/query", {
      accountId: this.source.accountId,
      filter: this.source.filter,
      position: this.#next,
      limit: PAGE,
    });
    batch.send(mine.signal);
    try {
      const { list, nextPosition, isCut } = await answer;
      if (mine.signal.aborted) return;
      this.list = [...this.list, ...list];
      this.#next = nextPosition;
      this.isCut = isCut;
      this.#set("ready");
    } catch (error) {
      if (!mine.signal.aborted) this.#set("failed", words(error));
    }
  }

  /** Ends the search; the program ends its question to the service, too. */
  cancel(): void {
    if (this.status !== "searching") return;
    this.#ending?.abort();
    this.#set(this.list.length > 0 ? "ready" : "empty");
  }

  /** Gets a message, so that it can be opened. */
  async keep({ feedId, remoteId, receivedAt }: FoundMail): Promise<Row> {
    const { accountId } = this.source;
    const { emailId, threadId } = await this.client.call<{ emailId: Id; threadId: Id }>("OlderMail/keep", {
      accountId,
      feedId,
      remoteId,
    });
    return { accountId, emailId, threadId, receivedAt };
  }

  #set(status: OlderMail["status"], problem: string | null = null): void {
    this.status = status;
    this.problem = problem;
    this.changed();
  }
}
