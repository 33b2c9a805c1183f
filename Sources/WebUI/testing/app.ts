import { Dialogs } from "../base/dialogs.ts";
import { Toasts } from "../base/toasts.ts";
import { JMAPClient } from "../jmap/client.ts";
import type { EmailHeader, Mailbox, MailboxRole } from "../jmap/types.ts";
import { Emails } from "../store/emails.ts";
import type { MailAccount, Parts } from "../store/parts.ts";
import { Performer } from "../store/performer.ts";
import { Records } from "../store/records.ts";
import { Router } from "../store/router.ts";
import type { Target } from "../store/target.ts";
import { mailboxNamed } from "./mail.ts";
import { FakeProgram } from "./program.ts";

const ROLES: MailboxRole[] = ["inbox", "drafts", "sent", "archive", "junk", "trash"];

/** The store without a screen, in an account `a` with one conversation. */
export async function someMail(
  emails: EmailHeader[],
  mailboxes: Mailbox[] = ROLES.map((role) => mailboxNamed(role, role)),
) {
  const program = new FakeProgram();
  program.answer("Mailbox/get", () => ({ list: mailboxes, state: "1" }));
  program.answer("Email/set", () => ({ updated: {} }));
  const client = await JMAPClient.connect(program.sender);
  const account: MailAccount = {
    id: "a",
    name: "ana@example.com",
    mailboxes: new Records<Mailbox>(client, "Mailbox", "a"),
    hasLabels: true,
  };
  await account.mailboxes.load();
  const app = {
    client,
    router: Router.prototype,
    toasts: new Toasts(),
    dialogs: new Dialogs(),
    emails: new Emails(),
    accounts: [account],
    account: (id) => id === "a" ? account : undefined,
    onChange: () => () => {},
  } satisfies Parts as Parts;
  app.emails.put("a", emails, [{ id: "t", emailIds: emails.map(({ id }) => id) }], 0);
  const target: Target = { accountId: "a", threadId: "t", emails, mailboxId: null };
  return {
    app,
    program,
    performer: new Performer(app),
    target,
    /** The requested updates, call by call. */
    sets: () => program.calls.filter(([name]) => name === "Email/set").map(([, values]) => values["update"]),
    /** All started requests have a response. */
    settled: () => new Promise<void>((resolve) => setTimeout(resolve)),
    /** Toasts go away, so that no timer outlives the test. */
    end: () => app.toasts.list.forEach(({ id }) => app.toasts.dismiss(id)),
  };
}
