import { type MouseEvent, useEffect, useState } from "react";
import { useObservable } from "../../base/observable.ts";
import { words } from "../../jmap/errors.ts";
import type { SavedSearch } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import type { Records } from "../../store/records.ts";
import { address } from "../../store/router.ts";
import { count, counted } from "../../store/words.ts";
import { Icon } from "../../ui/Icon.tsx";
import { ContextMenu, MenuButton, type MenuItem } from "../../ui/Menu.tsx";
import { useRowFocus } from "../../ui/rowFocus.ts";
import { SearchDialog } from "./SaveSearch.tsx";
import { searchQuery } from "./useMailPlace.ts";

/** What changes within this time is counted once. */
const CALM = 1000;

interface SavedSearchesProps {
  /** The search that is shown. */
  current: string | null;
  onGone: () => void;
}

/** The saved searches, with the number of unread conversations that each finds. */
export function SavedSearches({ current, onGone }: SavedSearchesProps) {
  const saved = useSaved();
  if (saved.list.length === 0) return null;
  return (
    <section className="sidebar-account">
      <div className="sidebar-row">
        <h2>
          <span className="sidebar-name">Saved searches</span>
        </h2>
      </div>
      <ul>
        {saved.list.map((search) => (
          <SavedItem
            key={search.id}
            search={search}
            saved={saved}
            isCurrent={search.text === current?.trim()}
            onGone={onGone}
          />
        ))}
      </ul>
    </section>
  );
}

/** Counted again after mail has changed. */
function useSaved(): Records<SavedSearch> {
  const app = useApp();
  const saved = useObservable(app.records<SavedSearch>("SavedSearch"));
  useEffect(() => {
    if (saved.status === "empty") saved.load();
    let timer: number | undefined;
    const stop = app.onChange((_, changed) => {
      if (!("Email" in changed) || saved.list.length === 0) return;
      clearTimeout(timer);
      timer = setTimeout(() => saved.load(), CALM);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [app, saved]);
  return saved;
}

interface SavedItemProps {
  search: SavedSearch;
  saved: Records<SavedSearch>;
  isCurrent: boolean;
  onGone: () => void;
}

function SavedItem({ search: { id, name, text, unreadThreads }, saved, isCurrent, onGone }: SavedItemProps) {
  const app = useApp();
  const [at, setAt] = useState<{ x: number; y: number } | null>(null);
  const [isEditing, setEditing] = useState(false);
  const row = useRowFocus<HTMLLIElement>("searches");
  const unread = unreadThreads ?? 0;
  const edit = async (newName: string, newText: string) => {
    // A rule may use it, and then not every change is possible.
    await saved.save(id, { name: newName, ...(newText !== text && { text: newText }) });
    if (newText === text) return;
    saved.load();
    const { place } = app.router;
    if (isCurrent && place.path[0] === "search") {
      app.router.replace(place.path, { ...Object.fromEntries(place.query), q: newText });
    }
  };
  const remove = async () => {
    try {
      await saved.destroy(id);
      app.toasts.show(`Deleted “${name}”.`, {
        action: { label: "Undo", run: () => saved.create({ name, text }).then(() => saved.load()) },
      });
    } catch (error) {
      app.toasts.problem(words(error));
    }
  };
  const items: MenuItem[] = [
    { label: "Edit", icon: "compose", run: () => setEditing(true) },
    { label: "Delete", icon: "trash", run: remove },
  ];
  const openMenu = (event: MouseEvent) => {
    event.preventDefault();
    setAt({ x: event.clientX, y: event.clientY });
  };
  return (
    <li {...row} className="sidebar-row saved-search">
      <a
        className={`sidebar-item ${unread > 0 ? "sidebar-unread" : ""}`}
        draggable={false}
        href={address(["search"], searchQuery({ text, in: "all/inbox", isEverywhere: true }))}
        aria-current={isCurrent ? "page" : undefined}
        aria-label={unread > 0 ? `${name}, ${counted(unread, "unread conversation")}` : name}
        title={name === text ? name : `${name}: ${text}`}
        onClick={onGone}
        onContextMenu={openMenu}
      >
        <Icon name="search" />
        <span className="sidebar-title">{name}</span>
        {unread > 0 && <span className="sidebar-count">{count(unread)}</span>}
      </a>
      <MenuButton label={`More for ${name}`} items={items} />
      {at && <ContextMenu label={name} at={at} items={items} onClose={() => setAt(null)} />}
      {isEditing && (
        <SearchDialog
          title="Edit search"
          {...{ name, text }}
          onSave={edit}
          onClose={() => setEditing(false)}
        />
      )}
    </li>
  );
}
