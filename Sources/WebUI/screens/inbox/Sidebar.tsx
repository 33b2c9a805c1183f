import { type DragEvent, useState } from "react";
import { ActionButtons, WordButtons } from "../../actions/ActionButtons.tsx";
import { EVERYWHERE, type ScreenSubject } from "../../actions/everywhere.ts";
import type { Mailbox, MailboxRole } from "../../jmap/types.ts";
import { type App, useApp } from "../../store/app.ts";
import { dropAction, type DropPlace, takes } from "../../store/dragged.ts";
import { useObservable, useValue } from "../../base/observable.ts";
import type { MailAccount } from "../../store/parts.ts";
import { address } from "../../store/router.ts";
import { mailboxTitle, ROLE_TITLES, type Scope } from "../../store/scope.ts";
import { count, counted } from "../../store/words.ts";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { Progress } from "../../ui/states.tsx";
import { openComposer } from "../composer/open.tsx";
import { openSettings } from "../../actions/openSettings.ts";

const ICONS: Record<string, IconName> = {
  inbox: "inbox",
  drafts: "drafts",
  sent: "send",
  archive: "archive",
  junk: "spam",
  trash: "trash",
  flagged: "star",
};

const ORDER = ["inbox", "flagged", "drafts", "sent", "archive", "junk", "trash"] as const;

interface SidebarProps {
  scope: Scope | null;
  isOutbox: boolean;
  waiting: number;
  subject: ScreenSubject;
  onGone: () => void;
}

/** Accounts and mailboxes, and how much in them is unread. */
export function Sidebar({ scope, isOutbox, waiting, subject, onGone }: SidebarProps) {
  const app = useApp();
  useObservable(app);
  useObservable(app.accountSettings);
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
    <nav className="sidebar" aria-label="Mailboxes">
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
          {(waiting > 0 || isOutbox) && (
            <Item
              icon="outbox"
              title="Outbox"
              unread={waiting}
              unit="message"
              to={address(["outbox"])}
              isCurrent={isOutbox}
              onGone={onGone}
            />
          )}
        </ul>
        {app.accounts.map((account) => (
          <AccountMailboxes key={account.id} {...{ account, scope, onGone }} onlyOwn={!isSeveral} />
        ))}
      </div>
      <SidebarBottom subject={subject} onGone={onGone} />
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
  const mailboxes = app.accounts.flatMap((account) =>
    account.mailboxes.list.filter((mailbox) => mailbox.role === role)
  );
  return (
    <Item
      icon={ICONS[role] ?? "folder"}
      title={ROLE_TITLES[role] ?? role}
      unread={mailboxes.reduce((sum, mailbox) => sum + badge(mailbox), 0)}
      unit={role === "drafts" ? "draft" : "unread conversation"}
      to={address(["mail", "all", role])}
      isCurrent={scope?.accountId === "all" && scope.mailboxId === role}
      place={{ role }}
      onGone={onGone}
    />
  );
}

/** The number next to a mailbox: drafts, or unread conversations. */
function badge(mailbox: Mailbox): number {
  if (mailbox.role === "drafts") return mailbox.totalEmails;
  return ["sent", "trash", "archive"].includes(mailbox.role ?? "") ? 0 : mailbox.unreadThreads;
}

interface AccountProps {
  account: MailAccount;
  scope: Scope | null;
  /** There is one account, whose mailboxes with a role are listed already. */
  onlyOwn: boolean;
  onGone: () => void;
}

function AccountMailboxes({ account, scope, onlyOwn, onGone }: AccountProps) {
  const app = useApp();
  const mailboxes = useObservable(account.mailboxes);
  const settings = app.accountSettings.get(account.id);
  const tree = ordered(mailboxes.list).filter(({ mailbox }) => !onlyOwn || mailbox.role === null);
  if (tree.length === 0 && onlyOwn) return null;
  return (
    <section className="sidebar-account">
      <h2 title={account.name}>
        <span className="sidebar-name">{onlyOwn ? "Folders" : settings?.displayName || account.name}</span>
        {settings?.status === "inactive" && (
          <span className="sidebar-warning">
            <Icon name="warning" /> Signed out
          </span>
        )}
      </h2>
      <ul>
        {tree.map(({ mailbox, depth }) => (
          <Item
            key={mailbox.id}
            icon={ICONS[mailbox.role ?? ""] ?? "folder"}
            title={mailboxTitle(mailbox)}
            depth={depth}
            unread={badge(mailbox)}
            unit={mailbox.role === "drafts" ? "draft" : "unread conversation"}
            to={address(["mail", account.id, mailbox.id])}
            isCurrent={scope?.accountId === account.id && scope.mailboxId === mailbox.id}
            place={{ mailbox, accountId: account.id, role: mailbox.role }}
            onGone={onGone}
          />
        ))}
      </ul>
    </section>
  );
}

interface ItemProps {
  icon: IconName;
  title: string;
  unread: number;
  unit: string;
  to: string;
  isCurrent: boolean;
  depth?: number;
  /** The drop target; `v` opens a list of the same places. */
  place?: DropPlace;
  onGone: () => void;
}

function Item({ icon, title, unread, unit, to, isCurrent, depth = 0, place, onGone }: ItemProps) {
  const { signs, ...dropping } = useDropping(place);
  const isUnread = unread > 0 && unit !== "draft";
  return (
    <li>
      <a
        className={`sidebar-item ${isUnread ? "sidebar-unread" : ""} ${signs}`}
        draggable={false}
        {...dropping}
        style={{ paddingInlineStart: `${0.625 + depth * 0.875}rem` }}
        href={to}
        aria-current={isCurrent ? "page" : undefined}
        aria-label={unread > 0 ? `${title}, ${counted(unread, unit)}` : title}
        title={title}
        onClick={onGone}
      >
        <Icon name={icon} />
        <span className="sidebar-title">{title}</span>
        {unread > 0 && <span className="sidebar-count">{count(unread)}</span>}
      </a>
    </li>
  );
}

/** Makes a mailbox a drop target, which shows whether it accepts the dragged conversations. */
function useDropping(place: DropPlace | undefined) {
  const app = useApp();
  const dragged = useValue(app.dragged);
  const [isOver, setOver] = useState(false);
  const action = place && takes(app, dragged, place) ? dropAction(place) : null;
  const over = (event: DragEvent) => {
    if (!action) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    if (!action) return;
    event.preventDefault();
    app.dragged.value = [];
    app.actions.perform(action, dragged);
  };
  return {
    signs: action
      ? `sidebar-takes ${isOver ? "sidebar-over" : ""}`
      : dragged.length > 0
      ? "sidebar-refuses"
      : "",
    onDragEnter: over,
    onDragOver: over,
    onDragLeave: () => setOver(false),
    onDrop: drop,
  };
}

/** Parents before their children, by the order that the program gives and then by name. */
function ordered(mailboxes: Mailbox[]): { mailbox: Mailbox; depth: number }[] {
  const result: { mailbox: Mailbox; depth: number }[] = [];
  const known = new Set(mailboxes.map((mailbox) => mailbox.id));
  const visit = (parent: string | null, depth: number) => {
    const children = mailboxes
      .filter((mailbox) =>
        (mailbox.parentId && known.has(mailbox.parentId) ? mailbox.parentId : null) === parent
      )
      .sort((left, right) => left.sortOrder - right.sortOrder || left.name.localeCompare(right.name));
    for (const mailbox of children) {
      if (result.length >= mailboxes.length) return; // a ring of parents
      result.push({ mailbox, depth });
      visit(mailbox.id, depth + 1);
    }
  };
  visit(null, 0);
  return result;
}

/** What accounts are busy with, said once it begins and once it ends. */
function SyncProgress() {
  const app = useApp();
  const statuses = useObservable(app.syncStatus);
  const isReachable = useValue(app.isReachable);
  // Accounts are idle while the program is gone.
  const busy = statuses.list.filter(({ phase }) =>
    isReachable && (phase === "syncing" || phase === "connecting")
  );
  return (
    <div className="sync" role="status">
      {busy.map((status) => (
        <div key={status.id} className="sync-account">
          <span className="sync-text">
            {syncText(app, status.id, status.phase === "connecting", status.progress)}
          </span>
          <Progress
            label={`Getting mail for ${app.account(status.id)?.name ?? "an account"}`}
            done={status.progress?.done ?? 0}
            total={status.progress?.total ?? null}
          />
        </div>
      ))}
    </div>
  );
}

function syncText(
  app: App,
  id: string,
  isConnecting: boolean,
  progress: { done: number; total: number } | null,
): string {
  const name = app.account(id)?.name ?? "an account";
  if (isConnecting) return `Connecting to ${name}`;
  return progress && progress.total > 0
    ? `Getting mail for ${name}: ${count(progress.done)} of ${count(progress.total)}`
    : `Getting mail for ${name}`;
}
