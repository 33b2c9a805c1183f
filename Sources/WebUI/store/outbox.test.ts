import { Value } from "../base/observable.ts";
import { Toasts } from "../base/toasts.ts";
import { JMAPClient } from "../jmap/client.ts";
import type { EmailSubmission } from "../jmap/types.ts";
import { equal } from "../testing/assert.ts";
import { FakeProgram } from "../testing/program.ts";
import type { App } from "./app.ts";
import { followHandedOver } from "./handedOver.ts";
import { Holding, holdingOf } from "./holding.ts";
import { Outbox } from "./outbox.ts";
import type { Listener } from "./parts.ts";

const HOUR = 3_600_000;

function hence(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}

function submission(id: string, values: Partial<EmailSubmission>): EmailSubmission {
  return {
    id,
    emailId: `email-${id}`,
    threadId: "t",
    identityId: "i",
    undoStatus: "final",
    sendAt: hence(HOUR),
    sendState: "queued",
    tries: 0,
    nextTryAt: null,
    failure: null,
    mayHaveBeenSent: false,
    isScheduled: false,
    isHandedOver: false,
    ...values,
  };
}

async function someApp(list: () => EmailSubmission[]) {
  const program = new FakeProgram();
  const capabilities = { "urn:ietf:params:jmap:submission": {} };
  program.session.accounts["a"] = { name: "ana", isReadOnly: false, accountCapabilities: capabilities };
  program.answer("EmailSubmission/query", () => ({ ids: list().map(({ id }) => id) }));
  program.answer("EmailSubmission/get", () => ({ list: list() }));
  program.answer("Email/get", () => ({ list: [] }));
  const listeners = new Set<Listener>();
  const app = {
    client: await JMAPClient.connect(program.sender),
    accounts: [{ id: "a", name: "ana@example.com" }],
    toasts: new Toasts(),
    isReachable: new Value(true),
    onChange: (listener: Listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const settled = () => new Promise<void>((resolve) => setTimeout(resolve));
  return {
    app: app as unknown as App,
    program,
    said: () => app.toasts.list.map(({ text }) => text),
    changed: async () => {
      for (const listener of listeners) listener("a", { EmailSubmission: "2" });
      for (let turn = 0; turn < 3; turn += 1) await settled();
    },
    end: () => app.toasts.list.forEach(({ id }) => app.toasts.dismiss(id)),
  };
}

Deno.test("ORG-84: what the service sends later is listed with what is scheduled here, until its time", async () => {
  const { app, end } = await someApp(() => [
    submission("waits", { undoStatus: "pending" }),
    submission("late", { undoStatus: "pending", isScheduled: true, sendAt: hence(3 * HOUR) }),
    submission("held", { isHandedOver: true, sendState: "sent", sendAt: hence(2 * HOUR) }),
    submission("given", { isHandedOver: true, sendState: "sending", sendAt: hence(HOUR) }),
    submission("doubtful", { isHandedOver: true, sendState: "failed" }),
    submission("counted", { isHandedOver: true, undoStatus: "pending", sendAt: hence(HOUR / 2) }),
    submission("overdue", { isHandedOver: true, failure: "No connection.", sendAt: hence(-HOUR) }),
    submission("delivered", { isHandedOver: true, sendState: "sent", sendAt: hence(-HOUR) }),
    submission("sent", { sendState: "sent" }),
    submission("undone", { undoStatus: "canceled", isHandedOver: true }),
  ]);
  const outbox = new Outbox(app);
  await outbox.load();
  equal(outbox.problem, null);
  equal(outbox.list.map(({ submission: { id } }) => id), ["waits", "doubtful", "overdue"]);
  equal(outbox.scheduled.map(({ submission: { id } }) => id), ["counted", "given", "held", "late"]);
  outbox.end();
  end();
});

Deno.test("ORG-84: the limits of a service are asked for once, and decide for each time", async () => {
  const { app, program } = await someApp(() => []);
  const [now, day] = [Date.parse("2026-03-10T09:00:00Z"), 24 * HOUR];
  const holding = new Holding(app.client);
  const can = (days: number) => holding.can("a", new Date(now + days * day), now);
  program.answer("EmailSubmission/holdLimits", () => ({ maxSeconds: null, latest: null }));
  await Promise.all([holding.ask("a"), holding.ask("a")]);
  equal([program.count("EmailSubmission/holdLimits"), holding.isAsking("a"), can(1)], [1, false, false]);
  program.answer(
    "EmailSubmission/holdLimits",
    () => ({ maxSeconds: 604_800, latest: "2026-03-16T09:00:00Z" }),
  );
  const asking = holding.ask("a");
  equal([holding.isAsking("a"), can(1)], [true, false]);
  await asking;
  equal([can(-1), can(1), can(6), can(6.5), can(8)], [false, true, true, false, false]);
  equal(holding.until("a", now)?.toISOString(), "2026-03-16T09:00:00.000Z");
  await holding.ask("a");
  equal(program.count("EmailSubmission/holdLimits"), 2);
  // After a refusal it is asked again.
  holding.forget("a");
  equal(can(1), false);
  await holding.ask("a");
  equal([program.count("EmailSubmission/holdLimits"), can(1)], [3, true]);
});

Deno.test("ACC-52: only what a service holds, and can stop, is stopped there", async () => {
  const held = submission("held", { isHandedOver: true, sendState: "sent", sendAt: hence(HOUR) });
  const { app, program, end } = await someApp(() => [held]);
  const limits = { maxSeconds: 604_800, latest: null };
  program.answer("EmailSubmission/holdLimits", () => limits);
  const outbox = new Outbox(app);
  const can = (waiting: Partial<EmailSubmission> = {}) =>
    outbox.canStop({ accountId: "a", submission: { ...held, ...waiting }, email: undefined });
  await outbox.load();
  await outbox.askServices();
  equal(can(), false);
  holdingOf(app).forget("a");
  program.answer("EmailSubmission/holdLimits", () => ({ ...limits, canCancel: true }));
  await outbox.askServices();
  equal([can(), can({ sendState: "queued" }), can({ sendAt: hence(-HOUR) })], [true, false, false]);
  outbox.end();
  end();
});

Deno.test("ORG-84: no service is offered for a time that cannot be chosen", async () => {
  const { app, program } = await someApp(() => []);
  const [now, day] = [Date.parse("2026-03-10T09:00:00Z"), 24 * HOUR];
  const until = async (maxSeconds: number, latest: string | null) => {
    program.answer("EmailSubmission/holdLimits", () => ({ maxSeconds, latest }));
    const holding = new Holding(app.client);
    await holding.ask("a");
    return holding.until("a", now)?.getTime() ?? null;
  };
  equal(await until(Number.MAX_SAFE_INTEGER, null), now + 366 * day);
  equal(await until(1e9, "2126-01-01T00:00:00Z"), now + 366 * day);
  equal(await until(86_400, "2026-03-10T08:00:00Z"), null);
  equal(await until(86_400, "soon"), null);
  equal(await until(0, null), null);
  equal(await until(-5, null), null);
});

Deno.test("ORG-84: whether the service took a message is said once, with what follows", async () => {
  const held: Partial<EmailSubmission> = { isHandedOver: true, sendState: "sending" };
  const outcomes: [Partial<EmailSubmission>, RegExp][] = [
    [{ sendState: "sent" }, /^The mail service sends the message (today|tomorrow) at /],
    [
      { sendState: "failed", failure: "It is not known." },
      /^It is not known. The message is in the Outbox.$/,
    ],
    [
      { sendState: "sent", sendAt: hence(-HOUR) },
      /^Message sent$/,
    ],
  ];
  for (const [outcome, expected] of outcomes) {
    let now = submission("s", held);
    const { app, said, changed, end } = await someApp(() => [now]);
    followHandedOver(app, "a", "s");
    await changed();
    equal(said(), ["Handing the message to the mail service…"]);
    now = { ...now, ...outcome };
    await changed();
    await changed();
    equal([said().length, expected.test(said()[0] ?? "")], [1, true]);
    end();
  }
});

Deno.test("ORG-84: a message that waits is followed until its service has it, or refuses it", async () => {
  for (const isRefused of [false, true]) {
    let now = submission("s", { isHandedOver: true, sendState: "sending" });
    const { app, program, said, changed, end } = await someApp(() => [now]);
    program.answer("EmailSubmission/holdLimits", () => ({ maxSeconds: 604_800, latest: null }));
    await holdingOf(app).ask("a");
    followHandedOver(app, "a", "s");
    now = { ...now, sendState: "queued", failure: "No connection." };
    await changed();
    await changed();
    const waits = "No connection. mailkernel tries again. The message is in “Scheduled”.";
    equal(said(), [waits]);
    now = isRefused
      ? { ...now, undoStatus: "pending", isHandedOver: false, isScheduled: true, failure: "No." }
      : { ...now, sendState: "sent", failure: null };
    await changed();
    await changed();
    // What is sent from here instead is told by the program's notice.
    if (isRefused) equal(said(), []);
    else equal([said().length, /^The mail service sends the message /.test(said()[0] ?? "")], [1, true]);
    equal(holdingOf(app).until("a") === null, isRefused);
    end();
  }
});
