import { words } from "../../jmap/errors.ts";
import type { EmailHeader } from "../../jmap/types.ts";
import { HEADER_PROPERTIES } from "../../store/emails.ts";
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
