import type { App } from "../store/app.ts";
import { nounOf, sortFolder } from "../store/folderChanges.ts";
import { looksOf, setLooks } from "../store/folderLooks.ts";
import type { MailAccount } from "../store/parts.ts";
import { mailboxOf, mailboxTitle, type Scope, totalIn } from "../store/scope.ts";
import { count } from "../store/words.ts";
import type { Action, Subject } from "./action.ts";
import { KEEPING } from "./folderKeeping.ts";
import { type FolderSubject, isOwn } from "./folderSubject.ts";

const MAIL: Action<FolderSubject>[] = [
  {
    id: "openFolder",
    label: "Open folder",
    icon: "folder",
    places: ["folderMenu"],
    applies: (_, place) => place !== "palette",
    run: ({ app, all }) => app.router.go(["mail", all.accountId, all.mailboxId]),
  },
  {
    id: "readAll",
    label: "Mark all as read",
    icon: "mailOpen",
    places: ["folderMenu"],
    isIdle: ({ all, app }) => unreadIn(app, all) === 0,
    change: () => ({ verb: "read" }),
  },
  {
    id: "searchFolder",
    label: "Search in this folder",
    icon: "search",
    places: ["folderMenu"],
    run: ({ app, all }) => {
      app.router.go(["search"], { q: "", in: `${all.accountId}/${all.mailboxId}`, everywhere: "no" });
      setTimeout(() => document.querySelector<HTMLElement>("[role=searchbox]")?.focus());
    },
  },
  {
    id: "emptyFolder",
    label: ({ app, all }, place) => {
      const total = totalIn(app, all);
      return `Empty ${all.title}${total > 0 && place === "folderMenu" ? ` (${count(total)})` : ""}`;
    },
    icon: "trash",
    places: ["folderMenu", "emptying"],
    applies: ({ all }) => all.role === "trash" || all.role === "junk",
    isIdle: ({ app, all }) => totalIn(app, all) === 0,
    change: () => ({ verb: "destroy" }),
  },
];

function unreadIn(app: App, all: Scope): number {
  return all.sources.reduce((sum, { accountId }) => {
    const mailbox = app.account(accountId)?.mailboxes.get(mailboxOf(app, all, accountId) ?? "");
    return sum + (mailbox?.unreadThreads ?? 0);
  }, 0);
}

const PLACE: Action<FolderSubject>[] = [
  {
    id: "foldFolder",
    label: ({ folding }) => folding?.isCollapsed ? "Show folders in it" : "Hide folders in it",
    icon: ({ folding }) => folding?.isCollapsed ? "chevronRight" : "chevronDown",
    places: ["folderMenu"],
    applies: ({ folding }) => folding !== null,
    run: ({ folding }) => folding?.toggle(),
  },
  {
    id: "favorite",
    label: (subject, place) => {
      const it = place === "palette" && subject.one ? `“${mailboxTitle(subject.one.mailbox)}” ` : "";
      return isFavorite(subject) ? `Remove ${it}from favorites` : `Add ${it}to favorites`;
    },
    icon: "star",
    places: ["folderMenu"],
    applies: ({ one }) => one !== null,
    run: (subject) => {
      const { app, one } = subject;
      if (one) void setLooks(app, one.account.id, one.mailbox, { isFavorite: !isFavorite(subject) });
    },
  },
  {
    id: "folderUp",
    label: "Move up",
    icon: "chevronUp",
    keys: ["Alt+ArrowUp"],
    places: ["folderMenu"],
    applies: (subject, place) => isOwn(subject) && place !== "palette",
    run: ({ app, one }) => void (one && sortFolder(app, one.account, one.mailbox, -1)),
  },
  {
    id: "folderDown",
    label: "Move down",
    icon: "chevronDown",
    keys: ["Alt+ArrowDown"],
    places: ["folderMenu"],
    applies: (subject, place) => isOwn(subject) && place !== "palette",
    run: ({ app, one }) => void (one && sortFolder(app, one.account, one.mailbox, 1)),
  },
];

function isFavorite({ app, one }: FolderSubject): boolean {
  return one !== null && looksOf(app, one.account.id, one.mailbox).isFavorite;
}

/** Everything that can be done to a folder. */
export const FOLDER: Action<FolderSubject>[] = [...MAIL, ...PLACE, ...KEEPING];

/** What can be done to the folders of an account. */
export const FOLDERS: Action<Subject & { account: MailAccount | null }>[] = [
  {
    id: "newFolder",
    label: ({ account }) => `New ${nounOf(account ?? undefined)}`,
    icon: "plus",
    places: ["folderHeader"],
    applies: ({ app, account }) =>
      account ? account.mayCreateFolders : app.accounts.some((one) => one.mayCreateFolders),
    run: ({ app, account }) => {
      app.folderForm.value = { kind: "new", accountId: account?.id ?? null, parentId: null };
    },
  },
];
