import { useMemo } from "react";
import { useObservable } from "../../base/observable.ts";
import type { Filter, Id } from "../../jmap/types.ts";
import { type App, useApp } from "../../store/app.ts";
import type { Place } from "../../store/router.ts";
import { rowKey } from "../../store/rows.ts";
import { type Scope, scopeOf } from "../../store/scope.ts";
import { limitedTo, searchFilter } from "../../store/search.ts";
import { mailboxPath } from "../../store/rules.ts";

/** A search, as the address has it. */
export interface Search {
  text: string;
  /** The list in which the search started: an account, or `all`, and a mailbox. */
  in: string;
  isEverywhere: boolean;
}

/** The mail part of the address: the list, the search, and the open conversation. */
export interface MailPlace {
  /** Messages to be sent are shown: soon, or later; or those that wait for a reply. */
  isOutbox: boolean;
  isScheduled: boolean;
  isReminders: boolean;
  search: Search | null;
  category: string | null;
  /** The list that is gone back to. */
  home: Scope;
  /** The list that is shown. */
  scope: Scope;
  filter: Filter | null;
  /** The address of the list, for conversations in it. */
  path: string[];
  query: Record<string, string>;
  /** The conversation that is open. */
  open: { accountId: Id; threadId: Id; key: string } | null;
}

export function useMailPlace(): MailPlace {
  const app = useApp();
  const { place } = useObservable(app.router);
  const search = searchIn(place);
  const category = place.query.get("category");
  const inPlace = search?.in ?? "";
  const home = useMemo(() => {
    const path = search ? ["mail", ...inPlace.split("/")] : place.path;
    return scopeOf(app, { ...place, path }, search ? null : category);
  }, [app, search !== null, inPlace, place.path.slice(0, 3).join("/"), category, app.version()]);
  const isEverywhere = search?.isEverywhere ?? false;
  const scope = useMemo(() => isEverywhere ? everywhere(app, home) : home, [home, isEverywhere, app]);
  const text = search?.text;
  const filter = useMemo(() => text === undefined ? null : searchFilter(text), [text]);
  const [first] = place.path;
  return {
    isOutbox: isOutbox(first),
    isScheduled: first === "scheduled",
    isReminders: first === "reminders",
    search,
    category,
    home,
    scope,
    filter,
    path: search ? ["search"] : ["mail", home.accountId, home.mailboxId],
    query: Object.fromEntries(place.query),
    open: openIn(place),
  };
}

function isOutbox(first: string | undefined): boolean {
  return first === "outbox" || first === "scheduled" || first === "reminders";
}

function searchIn({ path, query }: Place): Search | null {
  if (path[0] !== "search") return null;
  return {
    text: query.get("q") ?? "",
    in: query.get("in") ?? "all/inbox",
    isEverywhere: query.get("everywhere") !== "no",
  };
}

/** All mail of all accounts. */
function everywhere(app: App, home: Scope): Scope {
  const sources = app.accounts.map(({ id }) => ({ accountId: id, filter: {} }));
  return { ...home, role: null, accountId: "all", mailboxId: "search", title: "Search results", sources };
}

function openIn({ path }: Place): MailPlace["open"] {
  const [first] = path;
  if (isOutbox(first)) return null;
  const [accountId, threadId] = path.slice(first === "search" ? 1 : 3);
  return accountId && threadId ? { accountId, threadId, key: rowKey({ accountId, threadId }) } : null;
}

/** The query of a search's address. */
export function searchQuery({ text, in: list, isEverywhere }: Search): Record<string, string> {
  return { q: text, in: list, ...(isEverywhere ? {} : { everywhere: "no" }) };
}

/** A search with the folder that it is limited to. */
export function wholeSearch(app: App, { text, isEverywhere }: Search, { accountId, ...home }: Scope): string {
  if (isEverywhere || text.trim() === "") return text.trim();
  const list = app.account(accountId)?.mailboxes.list ?? [];
  const mailbox = list.find(({ id }) => id === home.mailboxId);
  return limitedTo(text, home.role, mailbox ? mailboxPath(mailbox, list) : home.title);
}
