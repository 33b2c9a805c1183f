import type { Id } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";

/** Opens a draft again, after “Undo”, or with the reason why the submission `failed`. */
export type Reopen = (accountId: Id, emailId: Id, failed?: Id) => void;

export interface NotSent {
  accountId: Id;
  submissionId: Id;
  emailId: Id;
}

const told = new Set<Id>();

/**
 * Reports that a message was not sent because the program ended. Both the program's notice and the message's
 * toast report it, so it is shown once.
 */
export function tellNotSent(app: App, { accountId, submissionId, emailId }: NotSent, reopen: Reopen): void {
  if (told.has(submissionId)) return;
  told.add(submissionId);
  app.toasts.show("Your message was not sent. It is in Drafts.", {
    seconds: null,
    action: { label: "Open", run: () => reopen(accountId, emailId) },
  });
}
