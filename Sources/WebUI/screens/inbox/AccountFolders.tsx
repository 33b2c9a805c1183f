import { useState } from "react";
import { ActionButtons } from "../../actions/ActionButtons.tsx";
import { FOLDERS } from "../../actions/folder.ts";
import { folderIcon } from "../../actions/folderIcon.ts";
import { useObservable } from "../../base/observable.ts";
import type { Mailbox } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { nounOf } from "../../store/folderChanges.ts";
import { looksOf, numberOf } from "../../store/folderLooks.ts";
import { type Folder, foldersOf, isHidden } from "../../store/folders.ts";
import type { MailAccount } from "../../store/parts.ts";
import { mailboxTitle, type Scope } from "../../store/scope.ts";
import { counted } from "../../store/words.ts";
import { Icon } from "../../ui/Icon.tsx";
import { FolderItem } from "./FolderItem.tsx";
import { FoldButton, useFolding } from "./folding.tsx";

interface AccountFoldersProps {
  account: MailAccount;
  scope: Scope | null;
  /** There is one account, whose mailboxes with a role are listed already. */
  onlyOwn: boolean;
  onGone: () => void;
}

/** The folders of an account, under its name. */
export function AccountFolders(props: AccountFoldersProps) {
  const { account, onlyOwn } = props;
  const app = useApp();
  const { list } = useObservable(account.mailboxes);
  const settings = app.accountSettings.get(account.id);
  const foldingOf = useFolding();
  if (onlyOwn && !account.mayCreateFolders && list.every(({ role }) => role !== null)) return null;
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
          {settings?.status === "paused" && (
            <span className="sidebar-warning">
              <Icon name="clock" /> Paused
            </span>
          )}
        </h2>
        <span className="sidebar-tools">
          <ActionButtons actions={FOLDERS} subject={{ app, targets: [], account }} place="folderHeader" />
        </span>
        <FoldButton folding={folding} label={onlyOwn ? name : `Folders of ${name}`} />
      </div>
      {!folding.isCollapsed && <FolderList {...props} />}
    </section>
  );
}

/** The folders that the user wants to see, and on request those that are hidden. */
function FolderList({ account, scope, onlyOwn, onGone }: AccountFoldersProps) {
  const app = useApp();
  const { list } = account.mailboxes;
  const [showsAll, setShowsAll] = useState(false);
  const foldingOf = useFolding();
  const own = list.filter(({ role }) => !onlyOwn || role === null);
  const hidden = own.filter((mailbox) => isHidden(list, mailbox));
  const folders = foldersOf(
    own.filter((mailbox) => showsAll || !hidden.includes(mailbox)),
    (id) => foldingOf(`${account.id}/${id}`).isCollapsed,
    (mailbox) => numberOf(app, account.id, mailbox),
  );
  return (
    <>
      <ul>
        {folders.map((folder) => (
          <OwnFolder
            key={folder.mailbox.id}
            folder={folder}
            account={account}
            scope={scope}
            folding={folder.hasChildren ? foldingOf(`${account.id}/${folder.mailbox.id}`) : undefined}
            onGone={onGone}
          />
        ))}
      </ul>
      {hidden.length > 0 && (
        <button
          type="button"
          className="sidebar-item sidebar-hidden"
          aria-expanded={showsAll}
          onClick={() => setShowsAll(!showsAll)}
        >
          <Icon name={showsAll ? "chevronUp" : "chevronDown"} />
          <span className="sidebar-title">{counted(hidden.length, `hidden ${nounOf(account)}`)}</span>
        </button>
      )}
    </>
  );
}

interface OwnFolderProps extends Pick<AccountFoldersProps, "account" | "scope" | "onGone"> {
  folder: Pick<Folder, "mailbox" | "unread"> & Partial<Folder>;
  folding?: ReturnType<ReturnType<typeof useFolding>> | undefined;
  /** The name of its account, where that is not above it. */
  detail?: string;
}

/** A mailbox of one account. */
export function OwnFolder({ folder, account, scope, folding, detail, onGone }: OwnFolderProps) {
  const app = useApp();
  const { mailbox, depth = 0, unread } = folder;
  return (
    <FolderItem
      icon={folderIcon(mailbox.role)}
      title={mailboxTitle(mailbox)}
      {...(detail ? { detail } : {})}
      depth={depth}
      unread={unread}
      unit={mailbox.role === "drafts" ? "draft" : "unread conversation"}
      path={["mail", account.id, mailbox.id]}
      isCurrent={isCurrent(scope, account, mailbox)}
      color={looksOf(app, account.id, mailbox).color}
      place={{ mailbox, accountId: account.id, role: mailbox.role }}
      folding={folding}
      onGone={onGone}
    />
  );
}

function isCurrent(scope: Scope | null, account: MailAccount, mailbox: Mailbox): boolean {
  return scope?.accountId === account.id && scope.mailboxId === mailbox.id;
}
