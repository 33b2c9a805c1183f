import type { Mailbox } from "../jmap/types.ts";
import type { App } from "../store/app.ts";
import { nounOf } from "../store/folderChanges.ts";
import { numberOf } from "../store/folderLooks.ts";
import type { MailAccount } from "../store/parts.ts";
import { mailboxOf, mailboxTitle, type Scope, scopeOf } from "../store/scope.ts";
import type { Place, Subject } from "./action.ts";

/** A mailbox of one account. */
export interface OneFolder {
  account: MailAccount;
  mailbox: Mailbox;
}

/** A folder in the list of folders. Its conversations are `all`; none is loaded. */
export interface FolderSubject extends Subject {
  all: Scope;
  unread: number;
  /** Null for the mailboxes of a kind of several accounts. */
  one: OneFolder | null;
  /** Whether the folders in it are hidden; null where there are none. */
  folding: { isCollapsed: boolean; toggle: () => void } | null;
}

/** The folder of an address, such as `mail/ACCOUNT/MAILBOX`. */
export function folderSubject(
  app: App,
  path: string[],
  folding: FolderSubject["folding"] = null,
): FolderSubject {
  const all = scopeOf(app, { path, query: new URLSearchParams() });
  const ones = all.sources.flatMap(({ accountId }): OneFolder[] => {
    const account = app.account(accountId);
    const mailbox = account?.mailboxes.get(mailboxOf(app, all, accountId) ?? "");
    return account && mailbox ? [{ account, mailbox }] : [];
  });
  const unread = ones.reduce((sum, { account, mailbox }) => sum + numberOf(app, account.id, mailbox), 0);
  return { app, targets: [], all, unread, one: ones.length === 1 ? ones[0] ?? null : null, folding };
}

/** A folder that the user has made. */
export function isOwn({ one }: FolderSubject): boolean {
  return one !== null && one.mailbox.role === null;
}

/** In a menu it is clear which folder is meant. */
export function named(verb: string, { one }: FolderSubject, place: Place): string {
  return `${verb} ${
    place === "palette" ? `“${one ? mailboxTitle(one.mailbox) : ""}”` : nounOf(one?.account)
  }`;
}
