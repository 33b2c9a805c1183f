import type { MessageSubject } from "../../actions/message.ts";
import { downloadURL } from "../../jmap/blobs.ts";
import type { EmailHeader } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";
import type { Conversation } from "../../store/conversation.ts";
import { openComposer } from "../composer/open.tsx";
import { save } from "./save.ts";

/** One message of a conversation, as actions take it. */
export function messageSubject(
  app: App,
  { accountId, messages }: Conversation,
  email: EmailHeader,
  details: MessageSubject["details"] = null,
): MessageSubject {
  const message = messages.get(email.id);
  return {
    app,
    isPart: true,
    targets: [{ accountId, threadId: email.threadId, emails: [email], mailboxId: null }],
    write: (mode) => openComposer(app, { mode, accountId, emailId: email.id }),
    details,
    save: message
      ? () => save(downloadURL(accountId, message.email.blobId, "message.eml", "message/rfc822"))
      : null,
  };
}
