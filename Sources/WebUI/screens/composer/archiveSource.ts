import { words } from "../../jmap/errors.ts";
import type { EmailHeader } from "../../jmap/types.ts";
import { recorded } from "../../store/actionLog.ts";
import { HEADER_PROPERTIES } from "../../store/emails.ts";
import type { App } from "../../store/app.ts";
import type { Sent } from "../../jmap/compose.ts";
import type { Composer } from "./composer.ts";

/** Archives the conversation that a message answers. In a window of its own, its mail is not known yet. */
export async function archiveSource({ app, accountId, sourceEmailId }: Composer): Promise<void> {
  try {
    const source = app.emails.get(accountId, sourceEmailId ?? "") ?? await read();
    if (!source) return;
    const { threadId } = source;
    const known = app.emails.members(accountId, threadId);
    const emails = known.length > 0 ? known : [source];
    app.actions.perform({ verb: "archive" }, [{ accountId, threadId, emails, mailboxId: null }]);
  } catch (error) {
    app.toasts.problem(words(error));
  }

  async function read(): Promise<EmailHeader | undefined> {
    const { list } = await app.client.call<{ list: EmailHeader[] }>("Email/get", {
      accountId,
      ids: [sourceEmailId],
      properties: HEADER_PROPERTIES,
    });
    return list[0];
  }
}

/** Archives what a message answers, in one of the ways, and remembers it with the message: both are undone together. */
export async function archivedWith(
  sent: Sent,
  { actions }: App,
  archive: () => void | Promise<void>,
): Promise<Sent> {
  const before = actions.newest;
  await archive();
  if (actions.newest === before) return sent;
  const archived = recorded(await actions.newest).map(({ accountId, id }) => ({ accountId, id }));
  return { ...sent, archived };
}
