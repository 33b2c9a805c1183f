import type { Batch, JMAPClient } from "../jmap/client.ts";
import type { EmailHeader, Filter, Id, Thread } from "../jmap/types.ts";
import { Emails, HEADER_PROPERTIES } from "./emails.ts";

/** A row of a list: the newest email of a thread that the list is about. */
export interface Row {
  accountId: Id;
  emailId: Id;
  threadId: Id;
  receivedAt: string;
}

export interface Source {
  accountId: Id;
  filter: Filter;
}

export interface Page {
  position: number;
  total: number;
  rows: Row[];
}

/** The number of times that an order may be asked for. */
const TRIES = 3;
const SORT = [{ property: "receivedAt", isAscending: false }];

/** Asks for the conversations of a stretch, and for some properties of the newest email of each. */
function addQuery(
  batch: Batch,
  { accountId, filter }: Source,
  position: number,
  limit: number,
  properties: string[],
) {
  const query = batch.add<{ ids: Id[]; position: number; total: number }>("Email/query", {
    accountId,
    filter,
    sort: SORT,
    collapseThreads: true,
    position,
    limit,
    calculateTotal: true,
  });
  const newest = batch.add<{ list: EmailHeader[] }>("Email/get", {
    accountId,
    "#ids": query.ref("/ids"),
    properties,
  });
  return { query, newest };
}

/** Asks for a stretch of a list, and for all that its rows show. */
export async function loadPage(
  client: JMAPClient,
  emails: Emails,
  source: Source,
  position: number,
  limit: number,
): Promise<Page> {
  const askedAt = emails.epoch;
  const { accountId } = source;
  const batch = client.batch();
  const { query, newest } = addQuery(batch, source, position, limit, HEADER_PROPERTIES);
  const threads = batch.add<{ list: Thread[] }>("Thread/get", {
    accountId,
    "#ids": newest.ref("/list/*/threadId"),
  });
  // Refused where the threads are very long; the rows then show what the newest email says.
  const members = batch.add<{ list: EmailHeader[] }>("Email/get", {
    accountId,
    "#ids": threads.ref("/list/*/emailIds"),
    properties: HEADER_PROPERTIES,
  });
  await batch.send();
  const { ids, position: first, total } = await query.answer;
  const heads = (await newest.answer).list;
  const others = await members.answer.then((answer) => answer.list, () => []);
  emails.put(accountId, [...others, ...heads], (await threads.answer).list, askedAt);
  return { position: first, total, rows: ordered(accountId, ids, heads) };
}

/** The order of a stretch and nothing else, for lists that are put together from several. */
export async function loadOrder(
  client: JMAPClient,
  source: Source,
  position: number,
  limit: number,
  tries = TRIES,
): Promise<Page> {
  const { accountId } = source;
  const batch = client.batch();
  const { query, newest } = addQuery(batch, source, position, limit, ["id", "threadId", "receivedAt"]);
  await batch.send();
  const { ids, position: first, total } = await query.answer;
  const heads = (await newest.answer).list;
  // An email went before it was read, as a draft's does for each new version: its row would be gone.
  if (heads.length < ids.length && tries > 1) return loadOrder(client, source, position, limit, tries - 1);
  return { position: first, total, rows: ordered(accountId, ids, heads) };
}

/** What known rows show. */
export async function loadDetails(client: JMAPClient, emails: Emails, rows: Row[]): Promise<void> {
  const askedAt = emails.epoch;
  const accounts = [...new Set(rows.map((row) => row.accountId))];
  await Promise.all(accounts.map(async (accountId) => {
    const own = rows.filter((row) => row.accountId === accountId);
    const batch = client.batch();
    const heads = batch.add<{ list: EmailHeader[] }>("Email/get", {
      accountId,
      ids: own.map((row) => row.emailId),
      properties: HEADER_PROPERTIES,
    });
    const threads = batch.add<{ list: Thread[] }>("Thread/get", {
      accountId,
      ids: [...new Set(own.map((row) => row.threadId))],
    });
    const members = batch.add<{ list: EmailHeader[] }>("Email/get", {
      accountId,
      "#ids": threads.ref("/list/*/emailIds"),
      properties: HEADER_PROPERTIES,
    });
    await batch.send();
    const others = await members.answer.then((answer) => answer.list, () => []);
    const known = [...others, ...(await heads.answer).list];
    emails.put(accountId, known, (await threads.answer).list, askedAt);
  }));
}

function ordered(accountId: Id, ids: Id[], emails: EmailHeader[]): Row[] {
  const byId = new Map(emails.map((email) => [email.id, email]));
  return ids.flatMap((emailId) => {
    const email = byId.get(emailId);
    return email ? [{ accountId, emailId, threadId: email.threadId, receivedAt: email.receivedAt }] : [];
  });
}

export function rowKey(row: { accountId: Id; threadId: Id }): string {
  return `${row.accountId}/${row.threadId}`;
}
