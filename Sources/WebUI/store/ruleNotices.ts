import type { JMAPClient } from "../jmap/client.ts";
import type { RuleNotice } from "../jmap/rules.ts";
import type { EmailHeader, Id } from "../jmap/types.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import type { SetAnswer } from "./records.ts";

export interface Taken {
  notice: RuleNotice;
  email: EmailHeader;
}

/**
 * Takes what rules notify of, so that no other window shows it. Newest first. All that is needed to show them is read
 * before: what was taken is lost if it is not shown at once.
 */
export async function takeNotices(client: JMAPClient, accountId: Id): Promise<Taken[]> {
  const { list } = await client.call<{ list: RuleNotice[] }>("RuleNotice/get", { accountId, ids: null });
  if (list.length === 0) return [];
  const { list: emails } = await client.call<{ list: EmailHeader[] }>("Email/get", {
    accountId,
    ids: list.map(({ emailId }) => emailId),
    properties: HEADER_PROPERTIES,
  });
  const answer = await client.call<SetAnswer & { destroyed?: Id[] | null }>("RuleNotice/set", {
    accountId,
    destroy: list.map(({ id }) => id),
  });
  const taken = new Set(answer.destroyed ?? []);
  const byId = new Map(emails.map((email) => [email.id, email]));
  return list.flatMap((notice) => {
    const email = byId.get(notice.emailId);
    return email && taken.has(notice.id) ? [{ notice, email }] : [];
  }).sort((one, other) => other.email.receivedAt.localeCompare(one.email.receivedAt));
}
