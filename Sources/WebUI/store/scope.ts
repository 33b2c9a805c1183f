import type { Filter, Id, Mailbox, MailboxRole } from "../jmap/types.ts";
import type { MailAccount, Parts } from "./parts.ts";
import type { Source } from "./rows.ts";
import type { Place } from "./router.ts";

/** The current list: a mailbox of one account, or all mailboxes with a role. */
export interface Scope {
  /** `all`, or an account. */
  accountId: Id | "all";
  /** A mailbox's id, or a kind where it is of all accounts. */
  mailboxId: Id | MailboxRole;
  title: string;
  /** Null for a mailbox of the person's own, and for a search everywhere, which is in no mailbox. */
  role: MailboxRole | null;
  sources: Source[];
  /** Only mail of this kind is looked at. */
  category: string | null;
}

export const ROLE_TITLES: Partial<Record<MailboxRole, string>> = {
  inbox: "Inbox",
  flagged: "Starred",
  snoozed: "Snoozed",
  drafts: "Drafts",
  sent: "Sent",
  archive: "Archive",
  junk: "Spam",
  trash: "Trash",
};

/** The mailbox's name; those with a role have the page's. */
export function mailboxTitle(mailbox: Mailbox): string {
  return (mailbox.role && ROLE_TITLES[mailbox.role]) ?? mailbox.name;
}

/** The scope of the address; the inbox if it does not exist. */
export function scopeOf(app: Parts, place: Place, category: string | null = null): Scope {
  const [, accountId = "all", mailboxId = "inbox"] = place.path[0] === "mail" ? place.path : [];
  const also: Filter = category ? { category } : {};
  const account = app.account(accountId);
  const mailbox = account?.mailboxes.get(mailboxId);
  if (account && mailbox) {
    return {
      accountId,
      mailboxId,
      title: mailboxTitle(mailbox),
      role: mailbox.role,
      sources: [{ accountId, filter: { inMailbox: mailboxId, ...also } }],
      category,
    };
  }
  if (account && mailboxId === "starred") {
    return {
      accountId,
      mailboxId,
      title: "Starred",
      role: "flagged",
      sources: [{ accountId, filter: { hasKeyword: "$flagged" } }],
      category: null,
    };
  }
  const role = (mailboxId in ROLE_TITLES ? mailboxId : "inbox") as MailboxRole;
  return {
    accountId: "all",
    mailboxId: role,
    title: ROLE_TITLES[role] ?? "Inbox",
    role,
    sources: app.accounts.flatMap((account) => sourceOf(account, role, also)),
    category,
  };
}

function sourceOf({ id, mailboxes }: MailAccount, role: MailboxRole, also: Filter): Source[] {
  if (role === "flagged") return [{ accountId: id, filter: { hasKeyword: "$flagged" } }];
  if (role !== "snoozed") return [{ accountId: id, filter: { inRole: role, ...also } }];
  // The store does not know this role.
  return mailboxes.list.filter((mailbox) => mailbox.role === role)
    .map((mailbox) => ({ accountId: id, filter: { inMailbox: mailbox.id } }));
}

/** The mailbox of a row in this scope; null if it may be in any, as for search results. */
export function mailboxOf(app: Parts, { accountId, mailboxId, role }: Scope, rowAccountId: Id): Id | null {
  if (role !== null && EVERYWHERE.has(role)) return null;
  if (accountId !== "all") return mailboxId;
  if (role === null) return null;
  return app.account(rowAccountId)?.mailboxes.list.find((mailbox) => mailbox.role === role)?.id ?? null;
}

/** The number of messages in all mailboxes of the scope. */
export function totalIn(app: Parts, scope: Scope): number {
  return scope.sources.reduce((sum, { accountId }) => {
    const id = mailboxOf(app, scope, accountId) ?? "";
    return sum + (app.account(accountId)?.mailboxes.get(id)?.totalEmails ?? 0);
  }, 0);
}

/** Lists whose rows are in other mailboxes. */
const EVERYWHERE = new Set<MailboxRole>(["flagged", "all", "important"]);
