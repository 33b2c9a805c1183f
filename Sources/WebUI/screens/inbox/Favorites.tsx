import { useObservable } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { looksOf, numberOf } from "../../store/folderLooks.ts";
import { foldersOf } from "../../store/folders.ts";
import type { Scope } from "../../store/scope.ts";
import { OwnFolder } from "./AccountFolders.tsx";

/** The folders that the user wants to have on top, in the order of the accounts. */
export function Favorites({ scope, onGone }: { scope: Scope | null; onGone: () => void }) {
  const app = useApp();
  useObservable(app.preferences);
  const favorites = app.accounts.flatMap((account) =>
    foldersOf(account.mailboxes.list)
      .map(({ mailbox }) => ({ account, mailbox }))
      .filter(({ mailbox }) => looksOf(app, account.id, mailbox).isFavorite)
  );
  if (favorites.length === 0) return null;
  const isSeveral = app.accounts.length > 1;
  return (
    <section className="sidebar-account">
      <h2>
        <span className="sidebar-name">Favorites</span>
      </h2>
      <ul>
        {favorites.map(({ account, mailbox }) => (
          <OwnFolder
            key={`${account.id}/${mailbox.id}`}
            folder={{ mailbox, unread: numberOf(app, account.id, mailbox) }}
            account={account}
            scope={scope}
            {...(isSeveral
              ? { detail: app.accountSettings.get(account.id)?.displayName || account.name }
              : {})}
            onGone={onGone}
          />
        ))}
      </ul>
    </section>
  );
}
