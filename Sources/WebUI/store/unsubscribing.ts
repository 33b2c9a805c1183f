import { words } from "../jmap/errors.ts";
import type { Sent } from "../jmap/compose.ts";
import type { UnsubscribeAnswer, UnsubscribeMethod, Unsubscription } from "../jmap/senders.ts";
import type { Id } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { unsubscribeQuestion } from "./unsubscribeWords.ts";

/** How the lists of messages can be left; messages of no list are left out. */
export async function unsubscriptions(app: App, accountId: Id, ids: Id[]): Promise<Unsubscription[]> {
  if (ids.length === 0) return [];
  const { list } = await app.client.call<{ list: Unsubscription[] }>("Unsubscription/get", {
    accountId,
    ids,
  });
  return list;
}

/**
 * Asks the user, and leaves the list: in the best way, and where that fails in the next one, after another question.
 *
 * - Parameter follow: shows how it goes with a message that is sent, and lets the user take it back.
 * - Returns: whether something was done.
 */
export async function unsubscribe(
  app: App,
  accountId: Id,
  { id, methods }: Unsubscription,
  name: string,
  follow: (sent: Sent) => void,
): Promise<boolean> {
  for (const [index, method] of methods.entries()) {
    if (!await app.dialogs.confirm(unsubscribeQuestion(name, method))) return false;
    try {
      await leave(app, accountId, id, method, follow);
      return true;
    } catch (error) {
      app.toasts.problem(words(error));
      if (index === methods.length - 1) return false;
    }
  }
  return false;
}

async function leave(
  app: App,
  accountId: Id,
  id: Id,
  { method, url, target }: UnsubscribeMethod,
  follow: (sent: Sent) => void,
): Promise<void> {
  // At once: later the browser would take it for a window that the user did not ask for.
  if (url) open(url, "_blank", "noopener,noreferrer");
  const answer = await app.client.call<UnsubscribeAnswer>("Unsubscription/send", { accountId, id, method });
  const { submissionId, sendAt, undoSeconds } = answer;
  if (submissionId && sendAt) {
    follow({ accountId, emailId: id, submissionId, sendAt, undoSeconds: undoSeconds ?? 0 });
  } else if (method === "oneClick") {
    app.toasts.show(`Unsubscribed. ${target} was asked to stop.`);
  }
}

/** Removes what is left of a message that was taken back. */
export async function takeBack(app: App, accountId: Id, id: Id): Promise<void> {
  try {
    await app.client.call("Unsubscription/takeBack", { accountId, id });
  } catch (error) {
    app.toasts.problem(words(error));
  }
}
