import { MethodError, RequestProblem, Unreachable } from "./errors.ts";
import type { Id, Session } from "./types.ts";

export type Arguments = Record<string, unknown>;
export type Answer = Record<string, unknown>;
type Invocation = [name: string, values: Arguments, callId: string];

/** Sends an HTTP request; `fetch`, or what a test puts in its place. */
export type Sender = (url: string, init?: RequestInit) => Promise<Response>;

/** A call in a batch: its answer, and pointers into it for the calls that follow. */
export interface BatchedCall<T> {
  answer: Promise<T>;
  /** For an argument whose name begins with `#` (RFC 8620, 3.7). */
  ref(path: string): Arguments;
}

interface Waiting {
  name: string;
  values: Arguments;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** Calls that go to the program together and are answered in their order. */
export class Batch {
  readonly #calls: Waiting[] = [];
  readonly #send: (calls: Waiting[], end?: AbortSignal) => Promise<void>;

  constructor(send: (calls: Waiting[], end?: AbortSignal) => Promise<void>) {
    this.#send = send;
  }

  add<T = Answer>(name: string, values: Arguments): BatchedCall<T> {
    const callId = `c${this.#calls.length}`;
    const answer = new Promise<T>((resolve, reject) => {
      this.#calls.push({ name, values, resolve: resolve as (answer: unknown) => void, reject });
    });
    // Callers that ignore the response also ignore its failure.
    answer.catch(() => {});
    return { answer, ref: (path) => ({ resultOf: callId, name, path }) };
  }

  /**
   * Sends all calls. Each call's `answer` reports its failure. Aborting the request also cancels the
   * program's work.
   */
  send(end?: AbortSignal): Promise<void> {
    return this.#calls.length > 0 ? this.#send(this.#calls.splice(0), end) : Promise.resolve();
  }
}

/** Speaks JMAP with the program that served this page. */
export class JMAPClient {
  session: Session;
  /** Called when the program refuses everything: 401 the session has ended, 423 it is locked. */
  onRefused: (status: number) => void = () => {};
  /** Called when the program answers again or no longer. */
  onReachable: (isReachable: boolean) => void = () => {};
  /** Called when an answer says that the session is another by now: an account can do more, or is gone. */
  onStale: () => void = () => {};
  readonly #sender: Sender;
  #next: Batch | null = null;

  private constructor(session: Session, sender: Sender) {
    this.session = session;
    this.#sender = sender;
  }

  static async connect(sender: Sender = (url, init) => fetch(url, init)): Promise<JMAPClient> {
    return new JMAPClient(await read<Session>(sender, "/.well-known/jmap"), sender);
  }

  async reloadSession(): Promise<void> {
    this.session = await read<Session>(this.#sender, "/.well-known/jmap");
  }

  has(capability: string, accountId?: Id): boolean {
    const place = accountId
      ? this.session.accounts[accountId]?.accountCapabilities
      : this.session.capabilities;
    return place !== undefined && capability in place;
  }

  batch(): Batch {
    return new Batch((calls, end) => this.#send(calls, end));
  }

  /** One call. Calls made in the same turn of the event loop travel together. */
  call<T = Answer>(name: string, values: Arguments): Promise<T> {
    if (this.#next === null) {
      const batch = this.batch();
      this.#next = batch;
      queueMicrotask(() => {
        this.#next = null;
        batch.send();
      });
    }
    return this.#next.add<T>(name, values).answer;
  }

  async #send(calls: Waiting[], end?: AbortSignal): Promise<void> {
    const methodCalls = calls.map(({ name, values }, index): Invocation => [name, values, `c${index}`]);
    let responses: Invocation[];
    try {
      const body = JSON.stringify({ using: Object.keys(this.session.capabilities), methodCalls });
      const answer = await read<{ methodResponses: Invocation[]; sessionState: string }>(
        this.#sender,
        "/jmap/api",
        {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body,
          ...(end && { signal: end }),
        },
      );
      responses = answer.methodResponses;
      this.onReachable(true);
      if (answer.sessionState !== this.session.state) this.onStale();
    } catch (error) {
      if (error instanceof Unreachable) this.onReachable(false);
      if (error instanceof RequestProblem) {
        this.onReachable(true);
        this.onRefused(error.status);
      }
      for (const call of calls) call.reject(error);
      return;
    }
    calls.forEach((call, index) => {
      const response = responses.find(([name, , id]) =>
        id === `c${index}` && (name === call.name || name === "error")
      );
      if (!response) call.reject(new MethodError("serverFail", { description: "A response is missing." }));
      else if (response[0] === "error") {
        call.reject(new MethodError(String(response[1]["type"]), response[1]));
      } else call.resolve(response[1]);
    });
  }
}

async function read<T>(sender: Sender, url: string, init: RequestInit = {}): Promise<T> {
  let response: Response;
  try {
    response = await sender(url, { credentials: "same-origin", ...init });
  } catch {
    // Who ended it learns nothing of the program.
    init.signal?.throwIfAborted();
    throw new Unreachable();
  }
  if (response.ok) return await response.json() as T;
  const problem = await response.json().catch(() => ({})) as { type?: string; detail?: string };
  throw new RequestProblem(
    response.status,
    problem.type ?? "about:blank",
    problem.detail ?? `mailkernel returned status ${response.status}.`,
  );
}
