import { type KeyboardEvent, type ReactNode, type RefObject, useId } from "react";
import type { SearchHint } from "../../jmap/vendor.ts";
import { IconButton } from "../../ui/Button.tsx";
import { giveFocusBack } from "../../ui/focus.ts";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { Hidden } from "../../ui/states.tsx";
import { type Hints, useHints } from "./useHints.ts";

interface FieldProps {
  input: RefObject<HTMLInputElement>;
  text: string;
  isFocused: boolean;
  onText: (text: string) => void;
  onClose: () => void;
  onResults: () => void;
  /** The focus goes to earlier searches. */
  onRecent: () => void;
  /** Buttons in the field. */
  children: ReactNode;
}

const ICONS: Record<SearchHint["kind"], IconName> = {
  operator: "filter",
  value: "filter",
  person: "mail",
  folder: "folder",
  date: "clock",
  recent: "clock",
};

/** The field, with suggestions, which the style sheet puts below the whole search. Arrow down leads through them to the results, Enter at once. */
export function SearchField(props: FieldProps) {
  const { input, text, isFocused, onText, onClose, onResults, onRecent, children } = props;
  const id = useId();
  const hints = useHints(text, input, isFocused);
  const { list, active } = hints;
  const choose = (hint: SearchHint) => {
    onText(hint.text);
    hints.chosen(hint);
  };
  return (
    <>
      <div className="search-field">
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          role="searchbox"
          aria-label="Search mail"
          aria-autocomplete="list"
          aria-controls={list.length > 0 ? id : undefined}
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          placeholder="Search mail"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            hints.typed();
            onText(event.currentTarget.value);
          }}
          onKeyDown={(event) => onKey(event, { text, hints, choose, onClose, onResults, onRecent })}
        />
        {children}
        {text !== "" && <IconButton icon="close" label="Clear search" onClick={onClose} />}
      </div>
      <Hidden>
        <span role="status">
          {list.length > 0 && isFocused ? `${list.length} suggestion${list.length === 1 ? "" : "s"}` : ""}
        </span>
      </Hidden>
      {list.length > 0 && (
        <ul className="hints" role="listbox" id={id} aria-label="Suggestions">
          {list.map((hint, index) => (
            <li
              key={`${hint.kind} ${hint.text}`}
              id={`${id}-${index}`}
              role="option"
              className="hint"
              aria-selected={index === active}
              // The focus stays in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(hint)}
            >
              <Icon name={ICONS[hint.kind]} />
              <span className="hint-title">{hint.title}</span>
              {hint.detail && <span className="hint-detail">{hint.detail}</span>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface KeyContext extends Pick<FieldProps, "text" | "onClose" | "onResults" | "onRecent"> {
  hints: Hints;
  choose: (hint: SearchHint) => void;
}

function onKey(event: KeyboardEvent<HTMLInputElement>, context: KeyContext): void {
  const { text, hints, choose, onClose, onResults, onRecent } = context;
  const { list, active } = hints;
  const hint = list[active];
  const goToResults = () => {
    hints.dismiss();
    onResults();
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => {
      if (active + 1 < list.length) hints.setActive(active + 1);
      else if (text !== "") goToResults();
      else onRecent();
    },
    ArrowUp: () => hints.setActive(Math.max(-1, active - 1)),
    Enter: () => hint ? choose(hint) : text.trim() !== "" && goToResults(),
    Escape: () => {
      if (list.length > 0) return hints.dismiss();
      onClose();
      event.currentTarget.blur();
      giveFocusBack();
    },
  };
  const act = event.nativeEvent.isComposing ? undefined : keys[event.key];
  if (!act || event.key === "ArrowUp" && active < 0) return;
  event.preventDefault();
  act();
}
