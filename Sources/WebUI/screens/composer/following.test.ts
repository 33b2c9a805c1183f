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
