import type { Scope } from "../store/scope.ts";
import type { Action, Subject } from "./action.ts";

/** A folder in the list of folders. Its conversations are `all`; none is loaded. */
export interface FolderSubject extends Subject {
  all: Scope;
  unread: number;
  /** Whether the folders in it are hidden; null where there are none. */
  folding: { isCollapsed: boolean; toggle: () => void } | null;
}

/** Everything that can be done to a folder. */
export const FOLDER: Action<FolderSubject>[] = [
  {
    id: "openFolder",
    label: "Open folder",
    icon: "folder",
    places: ["folderMenu"],
    run: ({ app, all }) => app.router.go(["mail", all.accountId, all.mailboxId]),
  },
  {
    id: "readAll",
    label: "Mark all as read",
    icon: "mailOpen",
    places: ["folderMenu"],
    isIdle: ({ unread }) => unread === 0,
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
    id: "foldFolder",
    label: ({ folding }) => folding?.isCollapsed ? "Show folders in it" : "Hide folders in it",
    icon: ({ folding }) => folding?.isCollapsed ? "chevronRight" : "chevronDown",
    places: ["folderMenu"],
    applies: ({ folding }) => folding !== null,
    run: ({ folding }) => folding?.toggle(),
  },
  {
    id: "emptyFolder",
    label: ({ all }) => `Empty ${all.title}`,
    icon: "trash",
    places: ["folderMenu"],
    applies: ({ all }) => all.role === "trash" || all.role === "junk",
    change: () => ({ verb: "destroy" }),
  },
];
