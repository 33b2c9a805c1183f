import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { SEARCHING } from "../../actions/everywhere.ts";
import { useCommands } from "../../actions/commands.ts";
import { commands, shortcuts } from "../../actions/offers.ts";
import type { RecentSearch } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import type { Records } from "../../store/records.ts";
import { type Chip, readQuery, withoutChip } from "../../store/search.ts";
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

/** The search field, the recognized filters, and earlier searches. */
export function SearchBox({ text, place, isEverywhere, onText, onPlace, onClose }: SearchBoxProps) {
  const app = useApp();
  const input = useRef<HTMLInputElement>(null);
  const [isFocused, setFocused] = useState(false);
  const recent = useRecent(text, isFocused);
  const { chips } = readQuery(text);
  const subject = { app, targets: [], search: () => input.current?.focus() };
  useShortcuts(app.shortcuts, "Mail", shortcuts(SEARCHING, () => subject));
  useCommands(app, () => commands(SEARCHING, subject));
  const search = (text: string) => {
    onText(text);
    input.current?.focus();
  };
  const clear = () => {
    recent.destroy(...recent.list.map(({ id }) => id)).catch(() => recent.load());
    input.current?.focus();
  };
  return (
    <div
      className="search"
      onFocus={() => setFocused(true)}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setFocused(false)}
    >
      <SearchField input={input} text={text} onText={onText} onClose={onClose} />
      {chips.length > 0 && <Chips chips={chips} onRemove={(chip) => search(withoutChip(text, chip))} />}
      {place !== null && text !== "" && (
        <div className="segments" role="group" aria-label="Where to search">
          <button type="button" aria-pressed={!isEverywhere} onClick={() => onPlace(false)}>{place}</button>
          <button type="button" aria-pressed={isEverywhere} onClick={() => onPlace(true)}>All mail</button>
        </div>
      )}
      {isFocused && text === "" && recent.list.length > 0 && (
        <Recent searches={recent.list} onChoose={search} onClear={clear} />
      )}
    </div>
  );
}

/** Earlier searches. A search that stays for a while is saved. */
function useRecent(text: string, isFocused: boolean): Records<RecentSearch> {
  const app = useApp();
  const recent = useObservable(app.records<RecentSearch>("RecentSearch"));
  const canRemember = app.client.has("urn:mailkernel:reading");
  useEffect(() => {
    if (isFocused && canRemember && recent.status === "empty") recent.load();
  }, [isFocused, canRemember, recent]);
  useEffect(() => {
    if (text.trim().length < 3 || !canRemember) return;
    const timer = setTimeout(() => {
      if (!recent.list.some((search) => search.text === text.trim())) {
        recent.create({ text: text.trim() }).then(() => recent.load()).catch(() => {});
      }
    }, 3000);
    return () => clearTimeout(timer);
  }, [text, canRemember, recent]);
  return recent;
}

interface FieldProps extends Pick<SearchBoxProps, "text" | "onText" | "onClose"> {
  input: RefObject<HTMLInputElement>;
}

function SearchField({ input, text, onText, onClose }: FieldProps) {
  return (
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
      {text !== "" && <IconButton icon="close" label="Clear search" onClick={onClose} />}
    </div>
  );
}

function Chips({ chips, onRemove }: { chips: Chip[]; onRemove: (chip: Chip) => void }) {
  return (
    <ul className="chips" aria-label="Filters">
      {chips.map((chip) => (
        <li key={`${chip.start}`}>
          <button
            type="button"
            className="chip"
            aria-label={`Remove filter ${chip.label}`}
            onClick={() => onRemove(chip)}
          >
            {chip.label}
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface RecentProps {
  searches: RecentSearch[];
  onChoose: (text: string) => void;
  onClear: () => void;
}

function Recent({ searches, onChoose, onClear }: RecentProps) {
  const id = useId();
  return (
    <section className="recent" aria-labelledby={id}>
      <header>
        <h2 id={id}>Recent searches</h2>
        <button type="button" className="button button-quiet" onClick={onClear}>Clear</button>
      </header>
      <ul>
        {searches.slice(0, 8).map((search) => (
          <li key={search.id}>
            <button type="button" className="menu-item" onClick={() => onChoose(search.text)}>
              <Icon name="clock" />
              <span className="menu-label">{search.text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
