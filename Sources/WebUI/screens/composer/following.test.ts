import { Value } from "../../base/observable.ts";
import type { App } from "../../store/app.ts";
import { recordOf, someMail } from "../../testing/app.ts";
import { equal } from "../../testing/assert.ts";
import { emailIn } from "../../testing/mail.ts";
import { archivedWith } from "./archiveSource.ts";
import { Following } from "./following.ts";

const SENT = { accountId: "a", submissionId: "s", emailId: "d", sendAt: "", undoSeconds: 30 };

/** Sends and archives; returns what “Undo” reopens and what it asks for. */
async function undone(mayUndo: boolean) {
  const mail = await someMail([emailIn("m", ["inbox"])]);
  mail.program.answer("EmailSubmission/set", () => ({ updated: { s: null } }));
  mail.program.answer("MailAction/get", () => ({ list: [recordOf({ mayUndo })] }));
  const app = { ...mail.app, actions: mail.performer, isReachable: new Value(true) } as unknown as App;
  const sent = await archivedWith(SENT, app, () => {
    mail.performer.perform({ verb: "archive" }, [mail.target]);
  });
  const reopened: string[] = [];
  new Following(app, sent, (_, emailId) => void reopened.push(emailId));
  mail.app.toasts.list.find(({ text }) => text === "Your message will be sent")?.action?.run();
  for (let turn = 0; turn < 5; turn += 1) await mail.settled();
  mail.end();
  return { reopened, asked: mail.asked() };
}

Deno.test("“Undo” after “Send and archive” brings back the draft and the conversation", async () => {
  const archive = { verb: "archive", threadIds: ["t"] };
  equal(await undone(true), { reopened: ["d"], asked: [archive, ["A1"]] });
  // The user has undone the archiving already.
  equal(await undone(false), { reopened: ["d"], asked: [archive] });
});

Deno.test("ORG-84: a message for the service is undone like any other, and followed until the service has it", async () => {
  for (const isUndone of [true, false]) {
    const mail = await someMail([]);
    const { program } = mail;
    const at = (seconds: number) => new Date(Date.now() + 1000 * seconds).toISOString();
    let undoStatus = "pending";
    let sendState = "queued";
    program.answer("EmailSubmission/set", () => {
      undoStatus = "canceled";
      return { updated: { s: null } };
    });
    program.answer("EmailSubmission/get", () => ({
      list: [{
        id: "s",
        undoStatus,
        sendState,
        sendAt: at(7200),
        nextTryAt: at(30),
        isHandedOver: undoStatus !== "canceled",
        isScheduled: false,
        failure: null,
      }],
    }));
    const app = { ...mail.app, isReachable: new Value(true) } as unknown as App;
    const reopened: string[] = [];
    const sent = { ...SENT, undoSeconds: 0, sendAt: at(7200), isHandedOver: true };
    new Following(app, sent, (_, emailId) => void reopened.push(emailId));
    for (let turn = 0; turn < 5; turn += 1) await mail.settled();
    const [counting] = mail.app.toasts.list;
    equal(/^The mail service will send your message (today|tomorrow) at /.test(counting?.text ?? ""), true);
    equal([counting?.hasCountdown, counting?.action?.label], [true, "Undo"]);
    if (isUndone) mail.app.toasts.act(counting?.id ?? 0);
    else {
      undoStatus = "final";
      sendState = "sent";
      mail.app.toasts.dismiss(counting?.id ?? 0);
    }
    for (let turn = 0; turn < 10; turn += 1) await mail.settled();
    equal(reopened, isUndone ? ["d"] : []);
    const told = mail.app.toasts.list.map(({ text }) => /^The mail service sends the message /.test(text));
    equal(told, isUndone ? [] : [true]);
    mail.end();
  }
});
