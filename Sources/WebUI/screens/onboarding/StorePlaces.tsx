import { type Ref, useEffect, useRef, useState } from "react";
import { CAPABILITY, type StoreChoice } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { useMailStore } from "../../store/useMailStore.ts";

const HERE = "Keep mail on this computer";

export function storeTitle(choice: StoreChoice): string {
  return choice.isRemote ? "Keep mail on my own server" : HERE;
}

interface StorePlacesProps {
  /** Null for the store in use. */
  chosen: StoreChoice | null;
  onChoose: (choice: StoreChoice | null) => void;
}

/** Where to keep mail, before there is any. Folded, for most keep it here; nothing is shown where there is no choice. */
export function StorePlaces({ chosen, onChoose }: StorePlacesProps) {
  const app = useApp();
  const store = useMailStore();
  const choices = useObservable(app.records<StoreChoice>("StoreChoice"));
  const isThere = app.client.has(CAPABILITY.storage);
  useEffect(() => {
    if (isThere) choices.load();
  }, [isThere, choices]);
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const current = useFocusBack(chosen);
  if (!store || choices.list.length === 0) return null;
  return (
    <details
      className="other-ways store-fold"
      open={chosen !== null || (isOpen ?? Boolean(store.server))}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>Where to keep your mail</summary>
      <fieldset className="store-places" aria-label="Where to keep your mail">
        <Place
          inputRef={current}
          title={store.server ? `Keep mail on ${store.server}` : HERE}
          name={store.name}
          isChosen={chosen === null}
          onChoose={() => onChoose(null)}
        />
        {choices.list.map((choice) => (
          <Place
            key={choice.id}
            title={storeTitle(choice)}
            name={choice.name}
            isChosen={chosen?.id === choice.id}
            onChoose={() => onChoose(choice)}
          />
        ))}
      </fieldset>
    </details>
  );
}

/** A form that closes leaves the focus to the choice that takes its place. */
function useFocusBack(chosen: StoreChoice | null) {
  const current = useRef<HTMLInputElement>(null);
  const before = useRef(chosen);
  useEffect(() => {
    if (before.current && !chosen) current.current?.focus();
    before.current = chosen;
  }, [chosen]);
  return current;
}

interface PlaceProps {
  inputRef?: Ref<HTMLInputElement>;
  title: string;
  name: string | null;
  isChosen: boolean;
  onChoose: () => void;
}

function Place({ inputRef, title, name, isChosen, onChoose }: PlaceProps) {
  return (
    <label className="store-place">
      <input ref={inputRef} type="radio" name="store" checked={isChosen} onChange={onChoose} />
      <span>
        <span className="setup-title">{title}</span>
        {name && <span className="field-hint">{name}</span>}
      </span>
    </label>
  );
}
