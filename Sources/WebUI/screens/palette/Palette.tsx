import "./palette.css";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useApp } from "../../store/app.ts";
import { counted } from "../../store/words.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { useObservable } from "../../base/observable.ts";
import { templatesOf } from "../composer/templates.ts";
import { useContacts } from "../composer/useContacts.ts";
import { commandItems, folderItems, type Item, personItems, settingItems, templateItems } from "./items.ts";
import { found } from "./ranking.ts";

interface PaletteProps {
  what: "everything" | "folders";
  onClose: () => void;
}

/** So many people are listed. */
const MOST_PEOPLE = 4;

/** Finds a command, a folder, a person or a setting by a few letters; Enter takes the first. */
export function Palette({ what, onClose }: PaletteProps) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const items = useItems(what, text);
  const now = Math.min(at, items.length - 1);
  const title = what === "folders" ? "Go to a folder or label" : "Command palette";
  const asks = what === "folders" ? "Find a folder or label" : "Find a command, folder, person or setting";
  // The dialog gives the focus back first: what is chosen may take it elsewhere.
  const choose = (item: Item | undefined) => {
    if (!item) return;
    onClose();
    setTimeout(item.run);
  };
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (event.key === "Enter" && !event.nativeEvent.isComposing) choose(items[now]);
    else if (step && items.length > 0) setAt((now + step + items.length) % items.length);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={title} isWide onClose={onClose}>
      <input
        className="input"
        type="text"
        role="combobox"
        data-autofocus
        aria-label={asks}
        placeholder={asks}
        aria-expanded={items.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={items[now] ? `${id}-${now}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <Items id={id} items={items} now={now} onPoint={setAt} onChoose={choose} />
      <p className={items.length > 0 ? "hidden" : "palette-none"} role="status">
        {items.length > 0 ? `${counted(items.length, "result")}` : "Nothing found."}
      </p>
    </Dialog>
  );
}

/** What fits the text. Commands are those of the moment when the palette was opened. */
function useItems(what: PaletteProps["what"], text: string): Item[] {
  const app = useApp();
  const templates = useObservable(templatesOf(app));
  const known = useMemo(
    () =>
      what === "folders"
        ? folderItems(app)
        : [...commandItems(app), ...folderItems(app), ...templateItems(app), ...settingItems(app)],
    [app, what, templates.version()],
  );
  const contacts = useContacts(what === "everything" ? text : "", []);
  const people = contacts.slice(0, MOST_PEOPLE).flatMap((contact) => personItems(app, contact));
  return found([...known, ...people], text);
}

interface ItemsProps {
  id: string;
  items: Item[];
  now: number;
  onPoint: (index: number) => void;
  onChoose: (item: Item) => void;
}

function Items({ id, items, now, onPoint, onChoose }: ItemsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const option = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    if (!list.current || !option) return;
    // Not `scrollIntoView`, which would scroll the field out of the dialog.
    const most = option.offsetTop;
    const least = most + option.offsetHeight - list.current.clientHeight;
    list.current.scrollTop = Math.max(least, Math.min(most, list.current.scrollTop));
  }, [now, items]);
  return (
    <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results" className="palette-list">
      {items.map((item, index) => (
        <div
          key={item.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === now}
          aria-disabled={item.problem ? true : undefined}
          title={item.problem ?? undefined}
          className="palette-item"
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => onPoint(index)}
          onClick={() => onChoose(item)}
        >
          <Icon name={item.icon} />
          <span className="palette-title">
            {item.title} {index === now && item.about && <span className="palette-about">{item.about}</span>}
          </span>
          {item.detail && (item.isKey ? <kbd>{item.detail}</kbd> : <small>{item.detail}</small>)}
          {item.kind !== "Command" && <small className="palette-kind">{item.kind}</small>}
        </div>
      ))}
    </div>
  );
}
