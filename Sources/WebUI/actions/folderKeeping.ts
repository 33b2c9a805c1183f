import { nounOf, showFolder } from "../store/folderChanges.ts";
import { deleteFolder } from "../store/folderRemoval.ts";
import { mailboxTitle } from "../store/scope.ts";
import type { App } from "../store/app.ts";
import type { Action } from "./action.ts";
import { type FolderSubject, isOwn, named, type OneFolder } from "./folderSubject.ts";

/** What is done to the folder itself, and not to the mail in it. */
export const KEEPING: Action<FolderSubject>[] = [
  {
    id: "folderIn",
    label: (subject, place) => {
      const name = subject.one ? mailboxTitle(subject.one.mailbox) : "";
      return place === "palette"
        ? `New ${nounOf(subject.one?.account)} in “${name}”`
        : `New ${nounOf(subject.one?.account)} in it`;
    },
    icon: "plus",
    places: ["folderMenu"],
    applies: ({ one }) =>
      one !== null && one.account.mayCreateFolders && one.mailbox.myRights["mayCreateChild"] !== false,
    run: ({ app, one }) => {
      if (one) app.folderForm.value = { kind: "new", accountId: one.account.id, parentId: one.mailbox.id };
    },
  },
  {
    id: "editFolder",
    label: (subject, place) => named("Edit", subject, place),
    title: "Edit a folder or label",
    icon: "compose",
    keys: ["F2"],
    places: ["folderMenu"],
    applies: ({ one }) => one !== null,
    run: ({ app, one }) => {
      if (one) app.folderForm.value = { kind: "edit", accountId: one.account.id, mailboxId: one.mailbox.id };
    },
  },
  {
    id: "hideFolder",
    label: (subject, place) =>
      subject.one?.mailbox.isSubscribed === false
        ? named("Show", subject, place)
        : named("Hide", subject, place),
    icon: "minus",
    places: ["folderMenu"],
    applies: isOwn,
    run: ({ app, one }) =>
      void (one && showFolder(app, one.account, one.mailbox.id, one.mailbox.isSubscribed === false)),
  },
  {
    id: "deleteFolder",
    label: (subject, place) => named("Delete", subject, place),
    title: "Delete a folder or label",
    icon: "trash",
    keys: ["Delete"],
    places: ["folderMenu"],
    applies: (subject) => isOwn(subject) && subject.one?.mailbox.myRights["mayDelete"] !== false,
    run: ({ app, one }) => void (one && removeFolder(app, one)),
  },
];

/** A list that is no longer there is left for the inbox. */
async function removeFolder(app: App, { account, mailbox }: OneFolder): Promise<void> {
  const [first, accountId, mailboxId] = app.router.place.path;
  const isShown = first === "mail" && accountId === account.id && mailboxId === mailbox.id;
  if (await deleteFolder(app, account, mailbox) && isShown) app.router.replace(["mail", "all", "inbox"]);
}
