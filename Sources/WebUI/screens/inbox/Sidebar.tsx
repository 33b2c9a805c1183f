import type { ReactNode } from "react";
import { ActionButtons, WordButtons } from "../../actions/ActionButtons.tsx";
import { EVERYWHERE, type ScreenSubject } from "../../actions/everywhere.ts";
import type { MailboxRole } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { looksOf, numberOf } from "../../store/folderLooks.ts";
import { useReminders } from "../../store/reminders.ts";
import type { MailAccount } from "../../store/parts.ts";
import { address } from "../../store/router.ts";
import { ROLE_TITLES, type Scope } from "../../store/scope.ts";
import { Icon } from "../../ui/Icon.tsx";
import { openComposer } from "../composer/open.tsx";
import { openSettings } from "../../actions/openSettings.ts";
import { AccountFolders } from "./AccountFolders.tsx";
import { Favorites } from "./Favorites.tsx";
import { FolderItem } from "./FolderItem.tsx";
import { SavedSearches } from "./SavedSearches.tsx";
import { folderIcon } from "../../actions/folderIcon.ts";
import { SyncProgress } from "./SyncProgress.tsx";

const ORDER = ["inbox", "flagged", "snoozed", "drafts", "sent", "archive", "junk", "trash"] as const;

interface SidebarProps {
  scope: Scope | null;
  /** The search that is shown. */
  search: string | null;
  isOutbox: boolean;
  isScheduled: boolean;
  isReminders: boolean;
  waiting: number;
  scheduled: number;
  subject: ScreenSubject;
  /** The line that changes its width. */
  splitter: ReactNode;
  onGone: () => void;
}

/** Accounts and mailboxes, and how much in them is unread. */
export function Sidebar(props: SidebarProps) {
  const { scope, search, isOutbox, isScheduled, isReminders, waiting, scheduled, subject, splitter, onGone } =
    props;
  const app = useApp();
  useObservable(app);
  useObservable(app.accountSettings);
  useObservable(app.preferences);
  const reminders = useReminders(app).length;
  const isSeveral = app.accounts.length > 1;
  const account = scope && scope.accountId !== "all" ? { accountId: scope.accountId } : {};
  const compose = () => {
    onGone();
    openComposer(app, { mode: "new", ...account });
  };
  const roles = ORDER.filter((role) =>
    role === "flagged" || app.accounts.some((account) => hasRole(account, role))
  );
  return (
    <nav className="sidebar-frame" aria-label="Folders">
      <div className="sidebar">
        <div className="sidebar-top">
          <WordButtons
            actions={EVERYWHERE}
            subject={{ ...subject, compose }}
            place="compose"
            kind="primary"
            className="sidebar-compose"
          />
        </div>
        <div className="sidebar-scroll">
          <ul>
            {roles.map((role) => <UnifiedItem key={role} role={role} scope={scope} onGone={onGone} />)}
            {/* Always: the folders below must not move while a message waits for its undo delay. */}
            <FolderItem
              icon="outbox"
              title="Outbox"
              unread={waiting}
              unit="message"
              path={["outbox"]}
              isCurrent={isOutbox}
              onGone={onGone}
            />
            {(scheduled > 0 || isScheduled) && (
              <FolderItem
                icon="clock"
                title="Scheduled"
                unread={scheduled}
                unit="message"
                path={["scheduled"]}
                isCurrent={isScheduled}
                onGone={onGone}
              />
            )}
            {(reminders > 0 || isReminders) && (
              <FolderItem
                icon="bell"
                title="Reminders"
                unread={reminders}
                unit="message"
                path={["reminders"]}
                isCurrent={isReminders}
                onGone={onGone}
              />
            )}
          </ul>
          <Favorites scope={scope} onGone={onGone} />
          <SavedSearches current={search} onGone={onGone} />
          {app.accounts.map((account) => (
            <AccountFolders key={account.id} {...{ account, scope, onGone }} onlyOwn={!isSeveral} />
          ))}
        </div>
        <SidebarBottom subject={subject} onGone={onGone} />
      </div>
      {splitter}
    </nav>
  );
}

function SidebarBottom({ subject, onGone }: Pick<SidebarProps, "subject" | "onGone">) {
  const app = useApp();
  const showRecent = () => {
    onGone();
    subject.showRecent();
  };
  return (
    <div className="sidebar-bottom">
      <SyncProgress />
      <div className="sidebar-foot">
        <a
          className="sidebar-item"
          href={address(["settings"])}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            onGone();
            openSettings(app);
          }}
        >
          <Icon name="settings" />
          <span className="sidebar-title">Settings</span>
        </a>
        <ActionButtons actions={EVERYWHERE} subject={{ ...subject, showRecent }} place="sidebar" />
      </div>
    </div>
  );
}

function hasRole(account: MailAccount, role: string): boolean {
  return account.mailboxes.list.some((mailbox) => mailbox.role === role);
}

function UnifiedItem(
  { role, scope, onGone }: { role: MailboxRole; scope: Scope | null; onGone: () => void },
) {
  const app = useApp();
  const all = app.accounts.flatMap((account) =>
    account.mailboxes.list.filter((mailbox) => mailbox.role === role)
      .map((mailbox) => ({
        number: numberOf(app, account.id, mailbox),
        looks: looksOf(app, account.id, mailbox),
      }))
  );
  return (
    <FolderItem
      icon={folderIcon(role)}
      title={ROLE_TITLES[role] ?? role}
      unread={all.reduce((sum, { number }) => sum + number, 0)}
      color={all.length === 1 ? all[0]?.looks.color ?? null : null}
      unit={role === "drafts" ? "draft" : "unread conversation"}
      path={["mail", "all", role]}
      isCurrent={scope?.accountId === "all" && scope.mailboxId === role}
      place={{ role }}
      onGone={onGone}
    />
  );
}
