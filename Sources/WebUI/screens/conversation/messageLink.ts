import type { Id } from "../../jmap/types.ts";
import { address, type Place } from "../../store/router.ts";

/** What the address of a conversation ends with where it is that of one message. */
export function messageIn({ path }: Place): Id | null {
  return path.slice(path[0] === "search" ? 1 : 3)[2] ?? null;
}

/** The address of a message in this program, whatever list it was opened from. */
export function messageLink(accountId: Id, mailboxId: Id, threadId: Id, emailId: Id): string {
  const place = address(["mail", accountId, mailboxId, accountId, threadId, emailId]);
  return new URL(`/${place}`, location.href).href;
}

/** The search whose results the conversation was opened from; empty if it was not. */
export function searchedFor({ path, query }: Place): string {
  return path[0] === "search" ? query.get("q") ?? "" : "";
}
