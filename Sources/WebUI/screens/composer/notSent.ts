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
 * Says that a message was not sent because the program ended first. Both the program's notice and the toast that
 * followed the message say so: it is told once.
 */
export function tellNotSent(app: App, { accountId, submissionId, emailId }: NotSent, reopen: Reopen): void {
  if (told.has(submissionId)) return;
  told.add(submissionId);
  app.toasts.show("Your message was not sent. It is in Drafts.", {
    seconds: null,
    action: { label: "Open", run: () => reopen(accountId, emailId) },
  });
}
