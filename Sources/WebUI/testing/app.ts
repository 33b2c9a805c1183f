import { Dialogs } from "../base/dialogs.ts";
import { Toasts } from "../base/toasts.ts";
import { JMAPClient } from "../jmap/client.ts";
import type { EmailHeader, Mailbox, MailboxRole } from "../jmap/types.ts";
import type { Preferences } from "../jmap/vendor.ts";
import { Emails } from "../store/emails.ts";
import type { ActionRecord } from "../store/actionLog.ts";
import type { Verb } from "../store/verbs.ts";
import type { Listener, MailAccount, Parts } from "../store/parts.ts";
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
  program.answer(
    "MailAction/set",
    ({ create, update }) =>
      create
        ? { created: { action: recordOf((create as { action: { verb: Verb } }).action) } }
        : { updated: mapped(update as object, () => recordOf({ state: "undone" })) },
  );
  const client = await JMAPClient.connect(program.sender);
  const account: MailAccount = {
    id: "a",
    name: "ana@example.com",
    mailboxes: new Records<Mailbox>(client, "Mailbox", "a"),
    hasLabels: true,
    mayCreateFolders: true,
  };
  await account.mailboxes.load();
  const listeners = new Set<Listener>();
  const app = {
    client,
    router: Router.prototype,
    toasts: new Toasts(),
    dialogs: new Dialogs(),
    emails: new Emails(),
    preferences: new Records<Preferences>(client, "Preferences", "program"),
    accounts: [account],
    account: (id) => id === "a" ? account : undefined,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } satisfies Parts as Parts;
  app.emails.put("a", emails, [{ id: "t", emailIds: emails.map(({ id }) => id) }], 0);
  const target: Target = { accountId: "a", threadId: "t", emails, mailboxId: null };
  return {
    app,
    program,
    performer: new Performer(app),
    target,
    /** The actions that were asked for, and the ids of those that were undone. */
    asked: () =>
      program.calls.filter(([name]) => name === "MailAction/set")
        .map(([, { create, update }]) =>
          create ? (create as { action: unknown }).action : Object.keys(update as object)
        ),
    /** The program says that actions have changed. */
    changed: () => [...listeners].forEach((listener) => listener("a", { MailAction: "2" })),
    /** What toasts say at present. */
    told: () => app.toasts.list.map(({ text }) => text),
    /** All started requests have a response. */
    settled: () => new Promise<void>((resolve) => setTimeout(resolve)),
    /** Toasts go away, so that no timer outlives the test. */
    end: () => app.toasts.list.forEach(({ id }) => app.toasts.dismiss(id)),
  };
}

/** An action's record: done, of one message. */
export function recordOf(values: Partial<ActionRecord> = {}): ActionRecord {
  return {
    id: "A1",
    verb: "archive",
    mailboxId: null,
    client: "page",
    createdAt: "2026-01-01T00:00:00Z",
    state: "done",
    total: 1,
    done: 1,
    changed: 1,
    refused: 0,
    refusal: null,
    kept: 0,
    mayUndo: true,
    ...values,
  };
}

function mapped<T>(object: object, value: () => T): Record<string, T> {
  return Object.fromEntries(Object.keys(object).map((key) => [key, value()]));
}
