import "./mail.css";
import "./rows.css";
import "./sidebar.css";
import { useEffect, useMemo, useState } from "react";
import type { Target } from "../../store/target.ts";
import { useApp, useKeysOnce } from "../../store/app.ts";
import { useAll, useObservable } from "../../base/observable.ts";
import type { ListState } from "../../store/listState.ts";
import { Outbox } from "../../store/outbox.ts";
import { type Row, rowKey } from "../../store/rows.ts";
import { scopeOf } from "../../store/scope.ts";
import { readQuery } from "../../store/search.ts";
import { count } from "../../store/words.ts";
import { IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Drawer } from "../../ui/Drawer.tsx";
import { useMeasures } from "../../ui/layout.ts";
import { useShortcuts } from "../../base/shortcuts.ts";
import { EmptyState } from "../../ui/states.tsx";
import { ComposerDock, openComposer } from "../composer/open.tsx";
import { ConversationPane } from "../conversation/ConversationPane.tsx";
import { Banners } from "../banners/Banners.tsx";
import { CategoryPause, CategoryTabs } from "./CategoryTabs.tsx";
import { goOn } from "../../actions/goOn.ts";
import { ListKeys } from "./ListKeys.tsx";
import { MoveDialog } from "./MoveDialog.tsx";
import { OutboxPane } from "./OutboxPane.tsx";
import { SearchBox } from "./SearchBox.tsx";
import { Sidebar } from "./Sidebar.tsx";
import { openSettings } from "../../actions/openSettings.ts";
import { ThreadPane } from "./ThreadPane.tsx";
import { useList } from "./useLists.ts";

/** Mailboxes, conversations, and the one that is open: beside each other, or one at a time. */
export function MailScreen() {
  const app = useApp();
  useObservable(app);
  useAll(app.accounts.map((account) => account.mailboxes));
  const { router } = app;
  const { place } = useObservable(router);
  const { layout } = useMeasures();
  const [isDrawer, setDrawer] = useState(false);
  const [moving, setMoving] = useState<Target[] | null>(null);
  const outbox = useMemo(() => new Outbox(app), [app]);
  useObservable(outbox);
  useEffect(() => {
    outbox.load();
  }, [outbox]);

  const [first] = place.path;
  const isOutbox = first === "outbox";
  const isSearch = first === "search";
  const text = isSearch ? place.query.get("q") ?? "" : "";
  const inPlace = isSearch ? place.query.get("in") ?? "all/inbox" : "";
  const isEverywhere = place.query.get("everywhere") !== "no";
  const category = place.query.get("category");
  const home = useMemo(() => {
    const path = isSearch ? ["mail", ...inPlace.split("/")] : place.path;
    return scopeOf(app, { ...place, path }, isSearch ? null : category);
  }, [app, isSearch, inPlace, place.path.slice(0, 3).join("/"), category, app.version()]);
  const scope = useMemo(() => {
    if (!isSearch || !isEverywhere) return home;
    const accounts = app.accounts.map(({ id }) => ({ accountId: id, filter: {} }));
    return {
      ...home,
      role: null,
      accountId: "all",
      mailboxId: "search",
      title: "Search results",
      sources: accounts,
    };
  }, [home, isSearch, isEverywhere, app]);
  const isInbox = !isSearch && scope.role === "inbox";
  const filter = useMemo(() => isSearch ? readQuery(text).filter : null, [isSearch, text]);
  const { state, snippets } = useList(scope, filter);

  const at = isSearch ? 1 : 3;
  const [accountId, threadId] = isOutbox ? [] : place.path.slice(at, at + 2);
  const openKey = accountId && threadId ? rowKey({ accountId, threadId }) : null;
  const list = isSearch ? ["search"] : ["mail", home.accountId, home.mailboxId];
  const query = Object.fromEntries(place.query);

  function open(row: Row): void {
    state.setCursor(row);
    const path = [...list, row.accountId, row.threadId];
    const email = app.emails.get(row.accountId, row.emailId);
    if (email?.keywords["$draft"] && app.emails.thread(row.accountId, row.threadId)?.length === 1) {
      openComposer(app, { mode: "new", accountId: row.accountId, draftEmailId: row.emailId });
    } else if (openKey === null) router.go(path, query);
    else router.replace(path, query);
  }
  function back(): void {
    router.leave(list, query);
  }
  function search(text: string): void {
    if (text === "") return leaveSearch();
    const where = isSearch ? inPlace : `${home.accountId}/${home.mailboxId}`;
    const next = { q: text, in: where, ...(isEverywhere ? {} : { everywhere: "no" }) };
    if (isSearch) router.replace(["search"], next);
    else router.go(["search"], next);
  }
  function leaveSearch(): void {
    if (isSearch) router.replace(["mail", home.accountId, String(home.mailboxId)]);
  }

  useShortcuts(app.shortcuts, "Everywhere", [
    {
      keys: ["c", "Mod+N"],
      does: "New message",
      opensField: true,
      run: () => openComposer(app, { mode: "new" }),
    },
    { keys: ["Mod+,"], does: "Settings", run: () => openSettings(app) },
  ]);
  useKeysOnce(app, isOutbox || state.list.status !== "loading");
  useEffect(() => {
    const unread = app.accounts.flatMap((account) => account.mailboxes.list)
      .filter((mailbox) => mailbox.role === "inbox").reduce((sum, mailbox) => sum + mailbox.unreadThreads, 0);
    document.title = `${unread > 0 ? `(${unread}) ` : ""}${isOutbox ? "Outbox" : scope.title} – mailkernel`;
  });

  const sidebar = (
    <Sidebar
      scope={isOutbox || isSearch ? null : home}
      isOutbox={isOutbox}
      waiting={outbox.list.length}
      onGone={() => setDrawer(false)}
    />
  );
  const menu = layout === "wide"
    ? null
    : <IconButton icon="menu" label="Mailboxes" aria-haspopup="dialog" onClick={() => setDrawer(true)} />;
  // Wide, the sidebar has it; narrow, the round button.
  const compose = layout === "medium"
    ? (
      <IconButton
        icon="compose"
        label="New message"
        hint="c"
        onClick={() => openComposer(app, { mode: "new" })}
      />
    )
    : null;
  const showsList = layout !== "narrow" || openKey === null;
  const showsConversation = layout !== "narrow" || openKey !== null;
  return (
    <div className={`mail mail-${layout}`}>
      {layout === "wide" && sidebar}
      {isDrawer && layout !== "wide" && (
        <Drawer label="Mailboxes" onClose={() => setDrawer(false)}>{sidebar}</Drawer>
      )}
      {!isOutbox && (
        <ListKeys state={state} openKey={openKey} onOpen={open} onBack={back} onMove={setMoving} />
      )}
      <main className="mail-main">
        {isOutbox
          ? (
            <section className="thread-pane outbox-pane" aria-label="Outbox">
              <header className="pane-header">
                <div className="pane-title">
                  {menu}
                  <h1>Outbox</h1>
                  <span className="pane-count" />
                  {compose}
                </div>
              </header>
              <Banners />
              <OutboxPane outbox={outbox} />
            </section>
          )
          : showsList && (
            <div className="mail-list">
              <Banners>{isInbox && <CategoryPause />}</Banners>
              <ThreadPane
                state={state}
                snippets={snippets}
                openKey={openKey}
                menu={menu}
                compose={compose}
                search={
                  <>
                    <SearchBox
                      text={text}
                      place={isSearch ? home.title : null}
                      isEverywhere={isEverywhere}
                      onText={search}
                      onPlace={(everywhere) =>
                        router.replace(["search"], {
                          q: text,
                          in: inPlace,
                          ...(everywhere ? {} : { everywhere: "no" }),
                        })}
                      onClose={leaveSearch}
                    />
                    {isInbox && <CategoryTabs current={category} list={list} />}
                  </>
                }
                onOpen={open}
                onBack={back}
                onMove={setMoving}
              />
            </div>
          )}
        {!isOutbox && showsConversation && (
          accountId && threadId
            ? (
              <ConversationPane
                key={openKey}
                accountId={accountId}
                threadId={threadId}
                state={state}
                layout={layout}
                onBack={back}
                onOpen={open}
                onMove={setMoving}
              />
            )
            : <NoConversation state={state} />
        )}
      </main>
      {layout === "narrow" && openKey === null && !isOutbox && (
        <button
          type="button"
          className="fab"
          aria-label="New message"
          onClick={() => openComposer(app, { mode: "new" })}
        >
          <Icon name="compose" />
        </button>
      )}
      {moving && (
        <MoveDialog
          targets={moving}
          onMove={(mailbox) =>
            goOn(
              { state, openKey, onOpen: open, onBack: back },
              moving,
              (targets) => app.actions.move(targets, mailbox),
              layout === "narrow",
            )}
          onClose={() => setMoving(null)}
        />
      )}
      <ComposerDock />
    </div>
  );
}

function NoConversation({ state }: { state: ListState }) {
  const { selected } = useObservable(state);
  return (
    <section className="conversation conversation-none" aria-label="Conversation">
      <EmptyState
        icon="mail"
        title={selected.size > 0 ? `${count(selected.size)} selected` : "No conversation is open"}
        text="Choose one from the list, or press ? to see what the keys do."
      />
    </section>
  );
}
