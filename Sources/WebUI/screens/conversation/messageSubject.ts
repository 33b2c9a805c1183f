import type { MessageLooks, MessageSubject } from "../../actions/message.ts";
import { downloadURL } from "../../jmap/blobs.ts";
import type { EmailHeader } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";
import type { Conversation } from "../../store/conversation.ts";
import { openComposer } from "../composer/open.tsx";
import { messageLink } from "./messageLink.ts";
import { save } from "./save.ts";

/** One message of a conversation, as actions take it. */
export function messageSubject(
  app: App,
  { accountId, threadId, messages }: Conversation,
  email: EmailHeader,
  looks: MessageLooks | null = null,
  unsubscribe: (() => void) | null = null,
): MessageSubject {
  const message = messages.get(email.id);
  return {
    app,
    isPart: true,
    targets: [{ accountId, threadId: email.threadId, emails: [email], mailboxId: null }],
    write: (mode) => openComposer(app, { mode, accountId, emailId: email.id }),
    looks,
    unsubscribe,
    save: message
      ? () => save(downloadURL(accountId, message.email.blobId, "message.eml", "message/rfc822"))
      : null,
    copyLink: () => {
      const [mailboxId = ""] = Object.keys(email.mailboxIds);
      copy(app, messageLink(accountId, mailboxId, threadId, email.id));
    },
  };
}

async function copy({ toasts }: App, link: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link);
    toasts.show("Link copied. It opens this message in mailkernel on this computer.");
  } catch {
    toasts.problem("The browser did not allow copying the link.");
  }
}
