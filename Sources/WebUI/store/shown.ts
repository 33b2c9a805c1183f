import type { EmailHeader } from "../jmap/types.ts";
import type { Parts } from "./parts.ts";
import { type Row, rowKey } from "./rows.ts";
import { mailboxOf, type Scope } from "./scope.ts";
import type { Target } from "./target.ts";
import type { ThreadList } from "./threadList.ts";

/** The conversation of a row, as an action in this list takes it. */
export function targetOf(
  app: Parts,
  scope: Scope,
  { accountId, threadId, emailId }: Omit<Row, "receivedAt">,
): Target {
  const members = app.emails.members(accountId, threadId);
  const newest = app.emails.get(accountId, emailId);
  const emails: EmailHeader[] = members.length > 0 ? members : newest ? [newest] : [];
  return { accountId, threadId, emails, mailboxId: mailboxOf(app, scope, accountId) };
}

/**
 * The loaded conversations of the open lists that are in a mailbox of this scope. What is done to all of a folder shows
 * there at once.
 */
export function shownIn(app: Parts, lists: Iterable<ThreadList>, scope: Scope): Target[] {
  const accounts = new Set(scope.sources.map(({ accountId }) => accountId));
  const rows = new Map([...lists].flatMap((list) => list.known()).map((row) => [rowKey(row), row]));
  return [...rows.values()].filter(({ accountId }) => accounts.has(accountId))
    .map((row) => targetOf(app, scope, row))
    .filter(({ emails, mailboxId }) =>
      mailboxId !== null && emails.some(({ mailboxIds }) => mailboxIds[mailboxId])
    );
}
