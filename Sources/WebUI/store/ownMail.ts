import type { EmailHeader, Id } from "../jmap/types.ts";
import type { App } from "./app.ts";

const OWN_PLACES: ReadonlySet<string> = new Set(["sent", "drafts"]);

/**
 * Whether the user wrote a message: it is from their address, and in Sent or Drafts. Anyone can write the user's
 * address as the sender, but only the user's own mail is there.
 */
export function isOwn(app: App, accountId: Id, email: EmailHeader, own = app.ownAddresses): boolean {
  const from = email.from ?? [];
  if (from.length === 0 || from.some((one) => !own.has(one.email.toLowerCase()))) return false;
  const mailboxes = app.account(accountId)?.mailboxes;
  return Object.keys(email.mailboxIds).some((id) => OWN_PLACES.has(mailboxes?.get(id)?.role ?? ""));
}
