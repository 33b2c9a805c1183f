import type { Arguments } from "../jmap/client.ts";
import type { Session } from "../jmap/types.ts";

type Answering = (values: Arguments) => Record<string, unknown>;

/** A program of which a test says how it answers. */
export class FakeProgram {
  session: Session = {
    accounts: { program: { name: "This program", isReadOnly: false, accountCapabilities: {} } },
    capabilities: { "urn:ietf:params:jmap:core": {} },
    apiUrl: "/jmap/api",
    downloadUrl: "/jmap/download",
    uploadUrl: "/jmap/upload",
    eventSourceUrl: "/jmap/events",
    state: "0",
  };
  /** Names and arguments of all calls so far. */
  readonly calls: [name: string, values: Arguments][] = [];
  requests = 0;
  readonly #answers = new Map<string, Answering>();
  readonly #held = new Map<string, Promise<void>>();

  answer(name: string, answering: Answering): void {
    this.#answers.set(name, answering);
  }

  /** The next answer to such a call is made at once, and arrives only when it is released. */
  hold(name: string): { release: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(name, promise);
    return { release: resolve };
  }

  count(name: string): number {
    return this.calls.filter(([called]) => called === name).length;
  }

  readonly sender = async (url: string, init?: RequestInit): Promise<Response> => {
    if (url === "/.well-known/jmap") return Response.json(this.session);
    this.requests += 1;
    const { methodCalls } = JSON.parse(String(init?.body)) as { methodCalls: [string, Arguments, string][] };
    const methodResponses = methodCalls.map(([name, values, id]) => {
      this.calls.push([name, values]);
      const answering = this.#answers.get(name);
      if (!answering) {
        return ["error", { type: "unknownMethod", description: `No answer is set for ${name}.` }, id];
      }
      const answer = answering(values);
      return "error" in answer ? ["error", answer["error"], id] : [name, answer, id];
    });
    const answer = Response.json({ methodResponses, sessionState: this.session.state });
    for (const [name] of methodCalls) {
      const held = this.#held.get(name);
      this.#held.delete(name);
      await held;
    }
    return answer;
  };
}
