import type { JMAPClient } from "../jmap/client.ts";
import type { RuleNotice } from "../jmap/rules.ts";
import type { EmailHeader, Id } from "../jmap/types.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import type { SetAnswer } from "./records.ts";

/** Older ones waited for a page, and are no news. */
const NEWS_MS = 3600 * 1000;

export interface Taken {
  notice: RuleNotice;
  email: EmailHeader;
}

/** Takes what rules notify of, so that no other window shows it. Newest first. */
export async function takeNotices(
  client: JMAPClient,
  accountId: Id,
  now = Date.now(),
): Promise<Taken[]> {
  const { list } = await client.call<{ list: RuleNotice[] }>("RuleNotice/get", { accountId, ids: null });
  if (list.length === 0) return [];
  const answer = await client.call<SetAnswer & { destroyed?: Id[] | null }>("RuleNotice/set", {
    accountId,
    destroy: list.map(({ id }) => id),
  });
  const taken = new Set(answer.destroyed ?? []);
  const news = list.filter(({ id, at }) => taken.has(id) && now - Date.parse(at) < NEWS_MS);
  if (news.length === 0) return [];
  const { list: emails } = await client.call<{ list: EmailHeader[] }>("Email/get", {
    accountId,
    ids: news.map(({ emailId }) => emailId),
    properties: HEADER_PROPERTIES,
  });
  const byId = new Map(emails.map((email) => [email.id, email]));
  return news.flatMap((notice) => {
    const email = byId.get(notice.emailId);
    return email ? [{ notice, email }] : [];
  }).sort((one, other) => other.email.receivedAt.localeCompare(one.email.receivedAt));
}
