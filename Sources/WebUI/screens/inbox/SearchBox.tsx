import { useEffect, useId, useRef, useState } from "react";
import type { RecentSearch } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { readQuery, withoutChip } from "../../store/search.ts";
import { IconButton } from "../../ui/Button.tsx";
import { giveFocusBack } from "../../ui/focus.ts";
import { Icon } from "../../ui/Icon.tsx";
import { useShortcuts } from "../../base/shortcuts.ts";

interface SearchBoxProps {
  text: string;
  /** Where else it could be looked: “Inbox”; null where that is not asked. */
  place: string | null;
  isEverywhere: boolean;
  onText: (text: string) => void;
  onPlace: (isEverywhere: boolean) => void;
  onClose: () => void;
}

/** The search field, what was read out of it, and what was looked for before. */
export function SearchBox({ text, place, isEverywhere, onText, onPlace, onClose }: SearchBoxProps) {
  const app = useApp();
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const [isFocused, setFocused] = useState(false);
  const recent = app.records<RecentSearch>("RecentSearch");
  const canRemember = app.client.has("urn:mailkernel:reading");
  useObservable(recent);
  const { chips } = readQuery(text);
  const showsRecent = isFocused && text === "" && recent.list.length > 0;

  useShortcuts(app.shortcuts, "Mail", [
    {
      keys: ["/", "Mod+F", "Mod+K"],
      does: "Search",
      opensField: true,
      run: () => input.current?.focus(),
    },
  ]);
  useEffect(() => {
    if (isFocused && canRemember && recent.status === "empty") recent.load();
  }, [isFocused, canRemember, recent]);

  /** What was searched for long enough to be read is remembered. */
  useEffect(() => {
    if (text.trim().length < 3 || !canRemember) return;
    const timer = setTimeout(() => {
      if (!recent.list.some((search) => search.text === text.trim())) {
        recent.create({ text: text.trim() }).then(() => recent.load()).catch(() => {});
      }
    }, 3000);
    return () => clearTimeout(timer);
  }, [text, canRemember, recent]);

  return (
    <div
      className="search"
      onFocus={() => setFocused(true)}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setFocused(false)}
    >
      <div className="search-field">
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          role="searchbox"
          aria-label="Search mail"
          placeholder="Search mail"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            onClose();
            event.currentTarget.blur();
            giveFocusBack();
          }}
        />
        {text !== "" && <IconButton icon="close" label="Clear the search" onClick={onClose} />}
      </div>
      {chips.length > 0 && (
        <ul className="chips" aria-label="Filters">
          {chips.map((chip) => (
            <li key={`${chip.start}`}>
              <button
                type="button"
                className="chip"
                aria-label={`Remove filter ${chip.label}`}
                onClick={() => {
                  onText(withoutChip(text, chip));
                  input.current?.focus();
                }}
              >
                {chip.label}
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {place !== null && text !== "" && (
        <div className="segments" role="group" aria-label="Where to search">
          <button type="button" aria-pressed={!isEverywhere} onClick={() => onPlace(false)}>{place}</button>
          <button type="button" aria-pressed={isEverywhere} onClick={() => onPlace(true)}>All mail</button>
        </div>
      )}
      {showsRecent && (
        <section className="recent" aria-labelledby={listId}>
          <header>
            <h2 id={listId}>Recent searches</h2>
            <button
              type="button"
              className="button button-quiet"
              onClick={() => {
                recent.destroy(...recent.list.map((search) => search.id)).catch(() => recent.load());
                input.current?.focus();
              }}
            >
              Clear
            </button>
          </header>
          <ul>
            {recent.list.slice(0, 8).map((search) => (
              <li key={search.id}>
                <button
                  type="button"
                  className="menu-item"
                  onClick={() => {
                    onText(search.text);
                    input.current?.focus();
                  }}
                >
                  <Icon name="clock" />
                  <span className="menu-label">{search.text}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
