import { useObservable } from "../../base/observable.ts";
import type { Mailbox } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { foldersOf } from "../../store/folders.ts";
import type { MailAccount } from "../../store/parts.ts";
import { mailboxTitle, type Scope } from "../../store/scope.ts";
import { Icon } from "../../ui/Icon.tsx";
import { FolderItem } from "./FolderItem.tsx";
import { FoldButton, useFolding } from "./folding.tsx";
import { folderIcon } from "../../actions/folderIcon.ts";

interface AccountFoldersProps {
  account: MailAccount;
  scope: Scope | null;
  /** There is one account, whose mailboxes with a role are listed already. */
  onlyOwn: boolean;
  onGone: () => void;
}

/** The folders of an account, under its name. */
export function AccountFolders({ account, scope, onlyOwn, onGone }: AccountFoldersProps) {
  const app = useApp();
  const mailboxes = useObservable(account.mailboxes);
  const settings = app.accountSettings.get(account.id);
  const foldingOf = useFolding();
  const own = mailboxes.list.filter(({ role }) => !onlyOwn || role === null);
  const folders = foldersOf(own, (id) => foldingOf(`${account.id}/${id}`).isCollapsed);
  if (folders.length === 0 && onlyOwn) return null;
  const name = onlyOwn ? "Folders" : settings?.displayName || account.name;
  const folding = foldingOf(account.id);
  return (
    <section className="sidebar-account">
      <div className="sidebar-row">
        <h2 title={account.name}>
          <span className="sidebar-name">{name}</span>
          {settings?.status === "inactive" && (
            <span className="sidebar-warning">
              <Icon name="warning" /> Signed out
            </span>
          )}
        </h2>
        <FoldButton folding={folding} label={onlyOwn ? name : `Folders of ${name}`} />
      </div>
      {!folding.isCollapsed && (
        <ul>
          {folders.map(({ mailbox, depth, hasChildren, unread }) => (
            <FolderItem
              key={mailbox.id}
              icon={folderIcon(mailbox.role)}
              title={mailboxTitle(mailbox)}
              depth={depth}
              unread={unread}
              unit={mailbox.role === "drafts" ? "draft" : "unread conversation"}
              path={["mail", account.id, mailbox.id]}
              isCurrent={isCurrent(scope, account, mailbox)}
              place={{ mailbox, accountId: account.id, role: mailbox.role }}
              folding={hasChildren ? foldingOf(`${account.id}/${mailbox.id}`) : undefined}
              onGone={onGone}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function isCurrent(scope: Scope | null, account: MailAccount, mailbox: Mailbox): boolean {
  return scope?.accountId === account.id && scope.mailboxId === mailbox.id;
}
