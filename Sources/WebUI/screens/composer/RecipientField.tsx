import {
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import type { Address } from "../../jmap/types.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { count, displayName, inOrder } from "../../store/words.ts";
import { FieldProblem } from "../../ui/fields.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";
import { shownAddress } from "./addresses.ts";
import type { Composer } from "./composer.ts";
import { MoreRecipients, MOST_SHOWN } from "./MoreRecipients.tsx";
import { type Field, NAMES } from "./recipients.ts";
import { useContacts } from "./useContacts.ts";
import "./recipients.css";

interface RecipientFieldProps {
  composer: Composer;
  field: Field;
  takesFocus: boolean;
  children: ReactNode;
}

const MOST_REASONS = 5;
const DRAGGED = "application/x-mailkernel-recipient";

/** Recipients as tokens, and a field that suggests people as one types. */
export function RecipientField({ composer, field, takesFocus, children }: RecipientFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const line = useRef<HTMLDivElement>(null);
  const { recipients } = composer;
  const list = recipients.in[field];
  const drawn = list.slice(0, MOST_SHOWN);
  const text = recipients.typed[field];
  const [isOpen, setOpen] = useState(false);
  const [isOver, setOver] = useState(false);
  const [at, setAt] = useState(0);
  const contacts = useContacts(isOpen ? text : "", list);
  const isShown = isOpen && contacts.length > 0;
  const wrong = recipients.wrongIn(field);
  useEffect(() => {
    if (takesFocus) input.current?.focus();
  }, [takesFocus]);
  useEffect(() => setAt(0), [text]);

  function tokens(): HTMLElement[] {
    return [...line.current?.querySelectorAll<HTMLElement>(".token-main") ?? []];
  }
  function choose(address: Address & { warning?: string | null }) {
    if (address.warning) recipients.warnings.set(address.email, address.warning);
    recipients.add(field, { name: address.name, email: address.email });
    setOpen(false);
  }
  function remove(address: Address, index: number) {
    recipients.remove(field, address);
    requestAnimationFrame(() => (tokens()[Math.min(index, drawn.length - 2)] ?? input.current)?.focus());
  }
  function edit(address: Address) {
    recipients.remove(field, address);
    recipients.type(field, shownAddress(address));
    input.current?.focus();
  }

  function pressed(event: KeyboardEvent<HTMLInputElement>) {
    const chosen = isShown ? contacts[at] : undefined;
    const { key } = event;
    if (isShown && (key === "ArrowDown" || key === "ArrowUp")) {
      setAt((at + (key === "ArrowDown" ? 1 : contacts.length - 1)) % contacts.length);
    } else if (isShown && key === "Escape") setOpen(false);
    else if (
      (key === "Enter" || key === "Tab") && !event.ctrlKey && !event.metaKey && !event.shiftKey && chosen
    ) {
      choose(chosen);
      if (key === "Tab") return;
    } else if ((key === "Enter" && !event.ctrlKey && !event.metaKey) || key === "," || key === ";") {
      recipients.commit(field);
    } else if ((key === "Backspace" || key === "ArrowLeft") && text === "" && list.length > 0) {
      tokens().at(-1)?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function onToken(event: KeyboardEvent, address: Address, index: number) {
    const steps: Record<string, number> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      Home: 0,
      End: drawn.length,
    };
    const { key } = event;
    if (key in steps) (tokens()[Math.max(steps[key] ?? 0, 0)] ?? input.current)?.focus();
    else if (key === "Backspace" || key === "Delete") remove(address, index);
    else if (key === "Enter" || key === "F2") edit(address);
    else return;
    event.preventDefault();
  }

  function dropped(event: DragEvent) {
    setOver(false);
    const data = event.dataTransfer.getData(DRAGGED);
    const typed = data ? "" : event.dataTransfer.getData("text/plain");
    if (!data && !typed) return;
    event.preventDefault();
    event.stopPropagation();
    if (typed) return recipients.commit(field, typed);
    const { address, from, key } = JSON.parse(data) as { address: Address; from: Field; key: number };
    if (key === composer.key) recipients.move(address, from, field);
    else recipients.add(field, address);
  }

  return (
    <div
      ref={line}
      className={`line ${isOver ? "line-over" : ""}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        event.stopPropagation();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      <label className="line-label" htmlFor={id}>{NAMES[field]}</label>
      <div
        className="tokens"
        onClick={(event) => event.target === event.currentTarget && input.current?.focus()}
      >
        {list.length > 0 && (
          <ul
            aria-label={`${NAMES[field]}: ${count(list.length)} ${
              list.length === 1 ? "recipient" : "recipients"
            }`}
          >
            {drawn.map((address, index) => (
              <Token
                key={`${address.email}-${index}`}
                address={address}
                wrong={recipients.wrong(address)}
                warning={recipients.warnings.get(address.email) ?? null}
                onKey={(event) => onToken(event, address, index)}
                onEdit={() => edit(address)}
                onRemove={() => remove(address, index)}
                onDrag={(event) => {
                  const dragged = JSON.stringify({ address, from: field, key: composer.key });
                  event.dataTransfer.setData(DRAGGED, dragged);
                  event.dataTransfer.setData("text/plain", shownAddress(address));
                }}
              />
            ))}
          </ul>
        )}
        <MoreRecipients field={field} list={list} onRemove={(address) => recipients.remove(field, address)} />
        <input
          ref={input}
          id={id}
          className="token-input"
          type="text"
          inputMode="email"
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-activedescendant={isShown ? `${id}-${at}` : undefined}
          aria-describedby={wrong.length > 0 ? `${id}-problem` : undefined}
          aria-invalid={wrong.length > 0 || undefined}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            recipients.type(field, event.currentTarget.value);
            setOpen(true);
          }}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData("text/plain");
            if (!/[,;\n\t<@]/.test(pasted) || text !== "") return;
            event.preventDefault();
            recipients.commit(field, pasted);
          }}
          onKeyDown={pressed}
          onBlur={() => {
            setOpen(false);
            if (text.trim()) recipients.commit(field);
          }}
        />
        <div id={`${id}-list`} role="listbox" aria-label="People" className="people" hidden={!isShown}>
          {contacts.map((contact, index) => (
            <div
              key={contact.email}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              className="person"
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => setAt(index)}
              onClick={() => choose(contact)}
            >
              {contact.warning && <WarningMark warning={contact.warning} />}
              {contact.name && <span className="person-name">{inOrder(contact.name)}</span>}
              <span className="person-email">
                <Breakable address={contact.email} />
              </span>
            </div>
          ))}
        </div>
      </div>
      {children}
      {wrong.length > 0 && (
        <div className="line-problem">
          <FieldProblem id={`${id}-problem`}>{sentences(wrong)}</FieldProblem>
        </div>
      )}
    </div>
  );
}

/** All that is wrong, as far as a person reads it. */
function sentences(wrong: string[]): string {
  const more = wrong.length - MOST_REASONS;
  return [...wrong.slice(0, MOST_REASONS), ...(more > 0 ? [`The same is true for ${count(more)} more.`] : [])]
    .join(" ");
}

interface TokenProps {
  address: Address;
  wrong: string | null;
  /** The address imitates another. */
  warning: string | null;
  onKey: (event: KeyboardEvent) => void;
  onEdit: () => void;
  onRemove: () => void;
  onDrag: (event: DragEvent) => void;
}

function Token({ address, wrong, warning, onKey, onEdit, onRemove, onDrag }: TokenProps) {
  const name = displayName(address);
  const spoken = inOrder(address.name ? `${address.name}, ${address.email}` : address.email);
  return (
    <li className={`token ${wrong ? "token-wrong" : ""}`} draggable onDragStart={onDrag}>
      <button
        type="button"
        className="token-main"
        tabIndex={-1}
        title={warning ?? shownAddress(address)}
        aria-label={wrong ? `${spoken}, not an address` : warning ? `${spoken}. Warning: ${warning}` : spoken}
        onKeyDown={onKey}
        onDoubleClick={onEdit}
      >
        {(wrong || warning) && <Icon name="warning" />}
        {name}
      </button>
      <button
        type="button"
        className="token-remove"
        tabIndex={-1}
        aria-label={`Remove ${spoken}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
