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

  answer(name: string, answering: Answering): void {
    this.#answers.set(name, answering);
  }

  count(name: string): number {
    return this.calls.filter(([called]) => called === name).length;
  }

  readonly sender = (url: string, init?: RequestInit): Promise<Response> => {
    if (url === "/.well-known/jmap") return Promise.resolve(Response.json(this.session));
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
    return Promise.resolve(Response.json({ methodResponses, sessionState: this.session.state }));
  };
}
