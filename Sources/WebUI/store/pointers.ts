import type { Id } from "../jmap/types.ts";
import type { EmailRef, Patch } from "./emails.ts";

const AT_ONCE = 500;

/** A patch as RFC 8620, 5.3 writes it. */
export function pointers(patch: Patch): Record<string, true | null> {
  const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");
  return Object.fromEntries(
    Object.entries(patch).flatMap(([property, changes]) =>
      Object.entries(changes as Record<string, true | null>).map(([key, value]) => [
        `${property}/${escaped(key)}`,
        value,
      ])
    ),
  );
}

/** Does it for each account, in parts that the program takes. */
export async function inAccounts<T extends EmailRef>(
  refs: T[],
  work: (accountId: Id, refs: T[]) => Promise<unknown>,
): Promise<void> {
  const accounts = [...new Set(refs.map((ref) => ref.accountId))];
  await Promise.all(accounts.map(async (accountId) => {
    const own = refs.filter((ref) => ref.accountId === accountId);
    for (let at = 0; at < own.length; at += AT_ONCE) await work(accountId, own.slice(at, at + AT_ONCE));
  }));
}
