import { useEffect } from "react";
import { useAll, useObservable } from "../base/observable.ts";
import type { EmailHeader, Id, UTCDate } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import type { Target } from "./target.ts";
import { comingTime, spokenTime, utc } from "./words.ts";

interface Reminder {
  id: Id;
  emailId: Id | null;
  threadId: Id | null;
  submissionId: Id | null;
  until: UTCDate;
  sentAt: UTCDate | null;
  returnedAt: UTCDate | null;
}

/** A message of an account that waits for a reply. */
export interface Reminded extends Reminder {
  accountId: Id;
}

/** The reminders of all accounts, the next first. */
export function useReminders(app: App): Reminded[] {
  const all = app.accounts.map(({ id }) => app.records<Reminder>("Reminder", id));
  useAll(all);
  useEffect(() => {
    // Without them the mail is as it always is.
    for (const records of all) if (records.status === "empty") records.load().catch(() => {});
  }, [app.accounts]);
  return all.flatMap(({ accountId, list }) => list.map((reminder) => ({ ...reminder, accountId })))
    .sort((one, other) => one.until.localeCompare(other.until));
}

/** Loads the messages that reminders are about, and returns the one of each. */
export function useRemindedMail(app: App, reminders: Reminded[]): (one: Reminded) => EmailHeader | undefined {
  useObservable(app.emails);
  const find = ({ accountId, emailId }: Reminded) =>
    emailId === null ? undefined : app.emails.get(accountId, emailId);
  const missing = reminders.filter((one) => one.emailId !== null && !find(one));
  useEffect(() => {
    for (const accountId of new Set(missing.map((one) => one.accountId))) {
      const ids = missing.filter((one) => one.accountId === accountId).map(({ emailId }) => emailId ?? "");
      load(app, accountId, ids);
    }
  }, [app, missing.map(({ id }) => id).join(" ")]);
  return find;
}

async function load(app: App, accountId: Id, ids: Id[]): Promise<void> {
  const askedAt = app.emails.epoch;
  try {
    const { list } = await app.client.call<{ list: EmailHeader[] }>("Email/get", {
      accountId,
      ids,
      properties: HEADER_PROPERTIES,
    });
    app.emails.put(accountId, list, [], askedAt);
  } catch {
    // They are shown without their subjects.
  }
}

/** The message as actions take it; null until it is known. */
function targetOf(app: App, { accountId, emailId, threadId }: Reminded): Target | null {
  const email = emailId === null ? undefined : app.emails.get(accountId, emailId);
  return email && { accountId, threadId: threadId ?? email.threadId, emails: [email], mailboxId: null } ||
    null;
}

/** Gives a reminder another time, or removes it. Both can be undone. */
export function setReminder(app: App, reminder: Reminded, at: Date | null): void {
  const target = targetOf(app, reminder);
  if (!target) return;
  app.actions.perform(
    at ? { verb: "remind", until: utc(at), isPart: true } : { verb: "unremind", isPart: true },
    [target],
  );
}

/** What a reminder waits for, or that it has returned. */
export function stateOf({ until, sentAt, returnedAt }: Reminded): string {
  if (returnedAt) return `No reply since ${spokenTime(sentAt ?? returnedAt)}`;
  const time = comingTime(new Date(until));
  return sentAt
    ? `You will be reminded ${time} if there is no reply`
    : `Waiting to be sent. You will be reminded ${time} if there is no reply`;
}
