import { JMAPClient } from "../../jmap/client.ts";
import { MethodError, Unreachable } from "../../jmap/errors.ts";
import type { App } from "../../store/app.ts";
import { holdingOf } from "../../store/holding.ts";
import { Toasts } from "../../base/toasts.ts";
import { equal } from "../../testing/assert.ts";
import { FakeProgram } from "../../testing/program.ts";
import { sendDraft } from "./drafts.ts";

const AT = new Date(Date.now() + 7_200_000);
const DRAFT = { draftId: "d", emailId: "e" };

async function someApp(answersSend: boolean) {
  const program = new FakeProgram();
  const client = await JMAPClient.connect(async (url, init) => {
    if (!answersSend && String(init?.body).includes("Draft/send")) throw new Unreachable();
    return await program.sender(url, init);
  });
  program.answer("Draft/get", () => ({ list: [] }));
  program.answer("EmailSubmission/query", () => ({ ids: ["s"] }));
  program.answer("EmailSubmission/holdLimits", () => ({ maxSeconds: 604_800, latest: null }));
  return { program, app: { client, toasts: new Toasts() } as unknown as App };
}

Deno.test("ORG-84: without an answer, a message that its service holds is found, and not looked for in Sent", async () => {
  const { app, program } = await someApp(false);
  let isHandedOver = true;
  program.answer("EmailSubmission/get", () => ({ list: [{ id: "s", emailId: "e", isHandedOver }] }));
  const later = { at: AT, isByService: true };
  const sent = await sendDraft(app, "a", DRAFT, later);
  equal([sent.submissionId, sent.emailId, sent.isHandedOver, sent.isScheduled], ["s", "e", true, false]);
  equal(program.calls.find(([name]) => name === "EmailSubmission/query")?.[1]["filter"], { emailIds: ["e"] });
  isHandedOver = false;
  const problem = await sendDraft(app, "a", DRAFT, later).catch((error) => error.message);
  equal(problem, "This draft no longer exists. Check “Scheduled” and Sent before sending it again.");
});

Deno.test("ORG-84: after a refusal the service is not offered until it is asked again", async () => {
  for (const type of ["forbidden", "serverUnavailable"]) {
    const { app, program } = await someApp(true);
    program.answer("Draft/send", () => ({ error: { type, description: "No." } }));
    await holdingOf(app).ask("a");
    const error = await sendDraft(app, "a", DRAFT, { at: AT, isByService: true }).catch((error) => error);
    equal([error instanceof MethodError, holdingOf(app).can("a", AT)], [true, type !== "forbidden"]);
  }
});
