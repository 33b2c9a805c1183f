import type { App } from "../../store/app.ts";
import type { Reminded } from "../../store/reminders.ts";

/** Opens the conversation beside the list that it is in. */
export function openReminded({ router }: App, { accountId, threadId, returnedAt }: Reminded): void {
  if (threadId === null) return;
  router.go(["mail", "all", returnedAt ? "inbox" : "sent", accountId, threadId]);
}
