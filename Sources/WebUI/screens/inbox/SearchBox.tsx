import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { SEARCHING } from "../../actions/everywhere.ts";
import { useCommands } from "../../actions/commands.ts";
import { commands, shortcuts } from "../../actions/offers.ts";
import type { RecentSearch, SearchChip } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import type { Records } from "../../store/records.ts";
import { useReading } from "../../store/searchWords.ts";
import { Icon } from "../../ui/Icon.tsx";
import { useShortcuts } from "../../base/shortcuts.ts";
import { SaveSearch } from "./SaveSearch.tsx";
import { SearchChips, SearchRemarks } from "./SearchChips.tsx";
import { SearchField } from "./SearchField.tsx";

interface SearchBoxProps {
  text: string;
  /** The search as it can be saved: with the folder that it is limited to. */
  whole: string;
  /** Where else it could be looked: “Inbox”; null where that is not asked. */
  place: string | null;
  isEverywhere: boolean;
  onText: (text: string) => void;
  onPlace: (isEverywhere: boolean) => void;
  onClose: () => void;
  /** The focus goes to the results. */
  onResults: () => void;
}

/** The search field, what was understood of the search, suggestions, and earlier searches. */
export function SearchBox(
  { text, whole, place, isEverywhere, onText, onPlace, onClose, onResults }: SearchBoxProps,
) {
  const app = useApp();
  const input = useRef<HTMLInputElement>(null);
  const [isFocused, setFocused] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const { recent, remember } = useRecent(text, isFocused);
  const reading = useReading(app.searchWords, text);
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
  const edit = ({ start, end }: SearchChip) => {
    input.current?.focus();
    if (reading.isCurrent) input.current?.setSelectionRange(start, end);
  };
  return (
    <div
      ref={box}
      className="search"
      onFocus={() => setFocused(true)}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setFocused(false)}
    >
      <SearchField
        {...{ input, text, isFocused, onText, onClose }}
        onResults={() => {
          remember();
          onResults();
        }}
        onRecent={() => box.current?.querySelector<HTMLElement>(".recent li button")?.focus()}
      >
        <SaveSearch text={whole} />
      </SearchField>
      <SearchChips chips={reading.chips} onEdit={edit} onRemove={({ without }) => search(without)} />
      <SearchRemarks remarks={reading.remarks} />
      {place !== null && text !== "" && (
        <div className="segments" role="group" aria-label="Where to search">
          <button type="button" aria-pressed={!isEverywhere} onClick={() => onPlace(false)}>{place}</button>
          <button type="button" aria-pressed={isEverywhere} onClick={() => onPlace(true)}>All mail</button>
        </div>
      )}
      {isFocused && text === "" && recent.list.length > 0 && (
        <Recent
          searches={recent.list}
          onChoose={search}
          onClear={clear}
          onLeave={() => input.current?.focus()}
        />
      )}
    </div>
  );
}

/** Earlier searches. A search is remembered when its results are gone to, or when it stays for a while. */
function useRecent(
  text: string,
  isFocused: boolean,
): { recent: Records<RecentSearch>; remember: () => void } {
  const app = useApp();
  const recent = useObservable(app.records<RecentSearch>("RecentSearch"));
  const canRemember = app.client.has("urn:mailkernel:reading");
  const remember = () => {
    const search = text.trim();
    // The newest stays where it is.
    if (search.length < 3 || !canRemember || recent.list[0]?.text === search) return;
    recent.create({ text: search }).then(() => recent.load()).catch(() => {});
  };
  useEffect(() => {
    if (isFocused && canRemember && recent.status === "empty") recent.load();
  }, [isFocused, canRemember, recent]);
  useEffect(() => {
    if (text.trim().length < 3 || !canRemember) return;
    const timer = setTimeout(() => {
      if (!recent.list.some((search) => search.text === text.trim())) remember();
    }, 3000);
    return () => clearTimeout(timer);
  }, [text, canRemember, recent]);
  return { recent, remember };
}

interface RecentProps {
  searches: RecentSearch[];
  onChoose: (text: string) => void;
  onClear: () => void;
  /** Back to the field. */
  onLeave: () => void;
}

/** Arrow keys lead from the field through the searches and back. */
function goThrough(event: KeyboardEvent<HTMLElement>, leave: () => void): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("li button")];
  const at = all.findIndex((one) => one === document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  if (event.key === "ArrowDown") all[at + 1]?.focus();
  else if (at > 0) all[at - 1]?.focus();
  else leave();
}

function Recent({ searches, onChoose, onClear, onLeave }: RecentProps) {
  const id = useId();
  return (
    <section className="recent" aria-labelledby={id} onKeyDown={(event) => goThrough(event, onLeave)}>
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
