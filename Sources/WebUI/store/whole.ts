import type { EmailHeader, Id } from "../jmap/types.ts";
import type { Target } from "./target.ts";
import type { Parts } from "./parts.ts";
import { HEADER_PROPERTIES } from "./emails.ts";

/** No more are asked for at once. */
const PART = 500;

/** Whether all emails of the conversations are known. Lists do not ask for those of very long ones. */
export function isWhole(app: Parts, targets: Target[]): boolean {
  return targets.every((target) => unknown(app, target).length === 0);
}

/** Loads the conversations with all of their emails. Removed ones have none. */
export async function whole(app: Parts, targets: Target[]): Promise<Target[]> {
  return await Promise.all(targets.map(async (target) => {
    const { accountId } = target;
    const [ids, emails] = [unknown(app, target), [...target.emails]];
    for (let at = 0; at < ids.length; at += PART) {
      const askedAt = app.emails.epoch;
      const { list } = await app.client.call<{ list: EmailHeader[] }>("Email/get", {
        accountId,
        ids: ids.slice(at, at + PART),
        properties: HEADER_PROPERTIES,
      });
      app.emails.put(accountId, list, [], askedAt);
      emails.push(...list);
    }
    return { ...target, emails };
  }));
}

function unknown(app: Parts, { accountId, threadId, emails }: Target): Id[] {
  const known = new Set(emails.map(({ id }) => id));
  return (app.emails.thread(accountId, threadId) ?? []).filter((id) => !known.has(id));
}
