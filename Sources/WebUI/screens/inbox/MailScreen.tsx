import "./mail.css";
import "./mailParts.css";
import "./rows.css";
import "./rowShapes.css";
import "./rowStates.css";
import "./search.css";
import "./sidebar.css";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { ActionButtons } from "../../actions/ActionButtons.tsx";
import { EVERYWHERE, type ScreenSubject } from "../../actions/everywhere.ts";
import type { Desk } from "../../actions/goOn.ts";
import { CORRECTING } from "../../actions/list.ts";
import { commands, offers, shortcuts } from "../../actions/offers.ts";
import { openSettings } from "../../actions/openSettings.ts";
import { useAll, useObservable } from "../../base/observable.ts";
import { useShortcuts } from "../../base/shortcuts.ts";
import { type App, useApp, useKeysOnce } from "../../store/app.ts";
import type { Shown } from "../../store/lists.ts";
import { Outbox } from "../../store/outbox.ts";
import { asWords } from "../../store/search.ts";
import { useReading } from "../../store/searchWords.ts";
import { count } from "../../store/words.ts";
import { IconButton } from "../../ui/Button.tsx";
import { Drawer } from "../../ui/Drawer.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { whenIdle } from "../../ui/later.tsx";
import { useMeasures } from "../../ui/layout.ts";
import { EmptyState } from "../../ui/states.tsx";
import { Banners } from "../banners/Banners.tsx";
import { ComposerDock, composerPart, openComposer } from "../composer/open.tsx";
import { conversationPart, LaterConversation, LaterPrintedSelection } from "../conversation/later.tsx";
import { PaletteHost } from "../palette/PaletteHost.tsx";
import { CategoryPause, CategoryTabs } from "./CategoryTabs.tsx";
import { ChoiceDialog } from "./ChoiceDialog.tsx";
import { FolderDialog } from "./FolderDialog.tsx";
import { FolderKeys } from "./FolderKeys.tsx";
import { ListKeys } from "./ListKeys.tsx";
import { OutboxPane } from "./OutboxPane.tsx";
import { RecentDialog } from "./RecentDialog.tsx";
import { RemindChoice } from "./RemindChoice.tsx";
import { NoReplies, RemindersPane } from "./RemindersPane.tsx";
import { ScheduledPane } from "./ScheduledPane.tsx";
import { SearchBox } from "./SearchBox.tsx";
import { Sidebar } from "./Sidebar.tsx";
import { SnoozeDialog } from "./SnoozeDialog.tsx";
import { ThreadPane } from "./ThreadPane.tsx";
import { showSearch, useDesk } from "./useDesk.ts";
import { useList } from "./useLists.ts";
import { type MailPlace, searchQuery, useMailPlace, wholeSearch } from "./useMailPlace.ts";
import { usePaneSize, useReadingPane } from "./usePanes.tsx";

/** Pixels of a `rem` from which on text counts as large. */
const LARGE_TEXT = 28;

/** Mailboxes, conversations, and the one that is open: beside each other, or one at a time. */
export function MailScreen() {
  const app = useApp();
  useObservable(app);
  useAll(app.accounts.map((account) => account.mailboxes));
  const { layout, rem } = useMeasures();
  const outbox = useOutbox(app);
  const place = useMailPlace();
  const shown = useList(place.scope, place.filter);
  const { desk, choice, endChoice } = useDesk(place, shown.state);
  const [isRecent, setRecent] = useState(false);
  const subject = screenSubject(app, () => setRecent(true));
  const width = usePaneSize("sidebar");
  const { sidebar, drawer, menu } = useMailboxes(place, outbox, subject, width.splitter);
  useShortcuts(app.shortcuts, "Everywhere", shortcuts(EVERYWHERE, () => subject));
  useKeysOnce(app, place.isOutbox || shown.state.list.status !== "loading");
  usePrepared(shown.state.list.status !== "loading");
  useTitle(place.isOutbox ? outboxTitle(place) : place.scope.title);

  // Wide, the sidebar has it; narrow, the round button, where it leaves enough of the list.
  const isRound = layout === "narrow" && rem < LARGE_TEXT;
  const compose = layout !== "wide" && !isRound && (
    <ActionButtons actions={EVERYWHERE} subject={subject} place="header" />
  );
  return (
    <div className={`mail mail-${layout}`} style={width.style}>
      {sidebar}
      {drawer}
      {!place.isOutbox && <ListKeys desk={desk} />}
      {/* The last keys come first: what has the focus is deleted, a folder or a conversation. */}
      <FolderKeys key={String(place.isOutbox)} scope={place.isOutbox || place.search ? null : place.scope} />
      {place.isOutbox
        ? <OutboxSection {...{ outbox, place, menu, compose }} />
        : <Panes place={place} shown={shown} desk={desk} menu={menu} compose={compose} />}
      {isRound && place.open === null && !place.isOutbox && (
        offers(EVERYWHERE, subject, "compose").map(({ id, label, icon, run }) => (
          <button key={id} type="button" className="fab" aria-label={label} onClick={run}>
            {icon && <Icon name={icon} />}
          </button>
        ))
      )}
      <PaletteHost
        app={app}
        offered={() => [...commands(EVERYWHERE, subject), ...commands(CORRECTING, subject)]}
      />
      {choice?.verb === "snooze" && <SnoozeDialog choice={choice} desk={desk} onClose={endChoice} />}
      {choice?.verb === "remind" && <RemindChoice choice={choice} onClose={endChoice} />}
      {(choice?.verb === "move" || choice?.verb === "label") && (
        <ChoiceDialog choice={choice} desk={desk} onClose={endChoice} />
      )}
      <FolderDialog />
      <LaterPrintedSelection />
      {isRecent && <RecentDialog onClose={() => setRecent(false)} />}
      <ComposerDock />
    </div>
  );
}

function screenSubject(app: App, showRecent: () => void): ScreenSubject {
  return {
    app,
    targets: [],
    compose: () => openComposer(app, { mode: "new" }),
    openSettings: () => openSettings(app),
    showRecent,
  };
}

function useOutbox(app: App): Outbox {
  const outbox = useMemo(() => new Outbox(app), [app]);
  useEffect(() => {
    outbox.load();
  }, [outbox]);
  return useObservable(outbox);
}

/** What follows the list is loaded once that is shown: reading, then writing. */
function usePrepared(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return;
    return whenIdle(() => {
      conversationPart.prepare();
      composerPart.prepare();
    });
  }, [isShown]);
}

/** The window's title is the list's, with the number of unread conversations in the inboxes. */
function useTitle(title: string): void {
  const app = useApp();
  useEffect(() => {
    const unread = app.accounts.flatMap((account) => account.mailboxes.list)
      .filter((mailbox) => mailbox.role === "inbox").reduce((sum, mailbox) => sum + mailbox.unreadThreads, 0);
    document.title = `${unread > 0 ? `(${unread}) ` : ""}${title} – mailkernel`;
  });
}

/** The mailboxes where there is room for them; else they are behind a button. */
function useMailboxes(
  { isOutbox, isScheduled, isReminders, search, home }: MailPlace,
  outbox: Outbox,
  subject: ScreenSubject,
  splitter: ReactNode,
) {
  const { layout } = useMeasures();
  const [isDrawer, setDrawer] = useState(false);
  const sidebar = (
    <Sidebar
      scope={isOutbox || search ? null : home}
      search={search?.text ?? null}
      isOutbox={isOutbox && !isScheduled && !isReminders}
      isScheduled={isScheduled}
      isReminders={isReminders}
      waiting={outbox.list.length}
      scheduled={outbox.scheduled.length}
      subject={subject}
      splitter={layout === "wide" && splitter}
      onGone={() => setDrawer(false)}
    />
  );
  if (layout === "wide") return { sidebar, drawer: null, menu: null };
  return {
    sidebar: null,
    drawer: isDrawer && <Drawer label="Folders" onClose={() => setDrawer(false)}>{sidebar}</Drawer>,
    menu: <IconButton icon="menu" label="Folders" aria-haspopup="dialog" onClick={() => setDrawer(true)} />,
  };
}

interface HeadProps {
  menu: ReactNode;
  compose: ReactNode;
}

function outboxTitle({ isScheduled, isReminders }: MailPlace): string {
  return isScheduled ? "Scheduled" : isReminders ? "Reminders" : "Outbox";
}

function OutboxSection({ outbox, place, menu, compose }: HeadProps & { outbox: Outbox; place: MailPlace }) {
  const title = outboxTitle(place);
  return (
    <main className="mail-main">
      <section className="thread-pane outbox-pane" aria-label={title}>
        <header className="pane-header">
          <div className="pane-title">
            {menu}
            <h1>{title}</h1>
            <span className="pane-count" />
            {compose}
          </div>
        </header>
        <Banners />
        {place.isScheduled
          ? <ScheduledPane outbox={outbox} />
          : place.isReminders
          ? <RemindersPane />
          : <OutboxPane outbox={outbox} />}
      </section>
    </main>
  );
}

interface PanesProps extends HeadProps {
  place: MailPlace;
  shown: Shown & { isWaiting: boolean };
  desk: Desk;
}

/** The list and the conversation; where there is little room, one of them. */
function Panes({ place, shown, desk, menu, compose }: PanesProps) {
  const { open } = place;
  const pane = useReadingPane();
  const { style, splitter } = usePaneSize(pane === "below" ? "listHeight" : "list");
  return (
    <main className={`mail-main pane-${pane}`} style={style}>
      {!(desk.isNarrow && open) && <ListColumn {...{ place, shown, desk, menu, compose }} />}
      {!desk.isNarrow && splitter}
      {open
        ? <LaterConversation key={open.key} accountId={open.accountId} threadId={open.threadId} desk={desk} />
        : !desk.isNarrow && <NoConversation desk={desk} />}
    </main>
  );
}

function ListColumn({ place, shown, desk, menu, compose }: PanesProps) {
  const app = useApp();
  const { chips } = useReading(app.searchWords, place.search?.text ?? "");
  const goToResults = useGoToResults(shown.isWaiting);
  const isInbox = !place.search && place.scope.role === "inbox";
  return (
    <div className="mail-list">
      <Banners>
        {isInbox && (
          <>
            <CategoryPause />
            <NoReplies accountId={place.scope.accountId} />
          </>
        )}
      </Banners>
      <ThreadPane
        desk={desk}
        snippets={shown.snippets}
        isWaiting={shown.isWaiting}
        isEverywhere={place.search?.isEverywhere ?? true}
        onWords={place.search && chips.some(({ isPhrase }) => !isPhrase)
          ? () => showSearch(app, place, asWords(place.search?.text ?? ""))
          : null}
        menu={menu}
        compose={compose}
        search={
          <>
            <SearchHead place={place} onResults={goToResults} />
            {isInbox && <CategoryTabs current={place.category} list={place.path} />}
          </>
        }
      />
    </div>
  );
}

/** Takes the focus to the results as soon as they are there. */
function useGoToResults(isWaiting: boolean): () => void {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (!isWanted || isWaiting) return;
    setWanted(false);
    document.querySelector<HTMLElement>(".thread-list [role=listbox]")?.focus();
  }, [isWanted, isWaiting]);
  return () => setWanted(true);
}

function SearchHead({ place, onResults }: { place: MailPlace; onResults: () => void }) {
  const app = useApp();
  const { search, home } = place;
  return (
    <SearchBox
      text={search?.text ?? ""}
      whole={search ? wholeSearch(app, search, home) : ""}
      place={search ? home.title : null}
      isEverywhere={search?.isEverywhere ?? true}
      onText={(text) => showSearch(app, place, text)}
      onPlace={(isEverywhere) =>
        search && app.router.replace(["search"], searchQuery({ ...search, isEverywhere }))}
      onClose={() => showSearch(app, place, "")}
      onResults={onResults}
    />
  );
}

function NoConversation({ desk: { state } }: { desk: Desk }) {
  const { selected, all, list } = useObservable(state);
  return (
    <section className="conversation conversation-none" aria-label="Conversation">
      <EmptyState
        icon="mail"
        title={selected.size > 0
          ? `${count(all ? list.total : selected.size)} selected`
          : "No conversation selected"}
        text="Choose one from the list, or press ? for keyboard shortcuts."
      />
    </section>
  );
}
