import type { EmailHeader, Id } from "../jmap/types.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import type { Parts } from "./parts.ts";
import type { Target } from "./target.ts";

/** A conversation whose later messages skip the inbox: its newest message. */
export interface MutedConversation {
  accountId: Id;
  email: EmailHeader;
}

export interface MutedConversations {
  total: number;
  /** The newest of all accounts. */
  list: MutedConversation[];
}

/** The muted conversations of all accounts: how many there are, and the newest. */
export async function loadMuted(
  { client, accounts }: Pick<Parts, "client" | "accounts">,
  limit: number,
): Promise<MutedConversations> {
  const parts = await Promise.all(accounts.map(async ({ id: accountId }) => {
    const batch = client.batch();
    const query = batch.add<{ total: number }>("Email/query", {
      accountId,
      filter: { someInThreadHaveKeyword: "$muted" },
      sort: [{ property: "receivedAt", isAscending: false }],
      collapseThreads: true,
      calculateTotal: true,
      limit,
    });
    const emails = batch.add<{ list: EmailHeader[] }>("Email/get", {
      accountId,
      "#ids": query.ref("/ids"),
      properties: HEADER_PROPERTIES,
    });
    await batch.send();
    const [{ total }, { list }] = [await query.answer, await emails.answer];
    return { total, list: list.map((email) => ({ accountId, email })) };
  }));
  return {
    total: parts.reduce((sum, { total }) => sum + total, 0),
    list: parts.flatMap(({ list }) => list)
      .sort((one, other) => other.email.receivedAt.localeCompare(one.email.receivedAt))
      .slice(0, limit),
  };
}

/** The whole conversation as actions take it. */
export function mutedTarget({ accountId, email }: MutedConversation): Target {
  return { accountId, threadId: email.threadId, emails: [email], mailboxId: null };
}
