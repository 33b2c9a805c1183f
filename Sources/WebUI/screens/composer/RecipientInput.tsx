import {
  type ClipboardEvent,
  forwardRef,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useState,
} from "react";
import type { Contact } from "../../jmap/vendor.ts";
import { People } from "./People.tsx";
import type { Field, Recipients } from "./recipients.ts";
import { useContacts } from "./useContacts.ts";
import { tokensIn } from "./useTokens.ts";

interface RecipientInputProps {
  id: string;
  recipients: Recipients;
  field: Field;
  line: RefObject<HTMLElement>;
}

/** Where a recipient is typed, with the people that are suggested. */
export const RecipientInput = forwardRef<HTMLInputElement, RecipientInputProps>(
  function RecipientInput({ id, recipients, field, line }, ref) {
    const text = recipients.typed[field];
    const isWrong = recipients.wrongIn(field).length > 0;
    const suggestions = useSuggestions(recipients, field);
    const { contacts, isShown, at, setAt, setOpen, choose } = suggestions;

    const { pressed, pasted } = useTyping(recipients, field, suggestions, line);
    return (
      <>
        <input
          ref={ref}
          id={id}
          className="token-input"
          type="text"
          inputMode="email"
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-activedescendant={isShown ? `${id}-${at}` : undefined}
          aria-describedby={isWrong ? `${id}-problem` : undefined}
          aria-invalid={isWrong || undefined}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            recipients.type(field, event.currentTarget.value);
            setOpen(true);
          }}
          onPaste={pasted}
          onKeyDown={pressed}
          onBlur={() => {
            setOpen(false);
            if (text.trim()) recipients.commit(field);
          }}
        />
        <People id={id} contacts={contacts} isShown={isShown} at={at} onPoint={setAt} onChoose={choose} />
      </>
    );
  },
);

/** Handles keys and pasted text in the field. */
function useTyping(
  recipients: Recipients,
  field: Field,
  { contacts, isShown, at, setAt, setOpen, choose }: ReturnType<typeof useSuggestions>,
  line: RefObject<HTMLElement>,
) {
  const isEmpty = recipients.typed[field] === "";
  const pressed = (event: KeyboardEvent<HTMLInputElement>) => {
    const chosen = isShown ? contacts[at] : undefined;
    const does = actionOf(event, { isShown, hasChoice: chosen !== undefined, isEmpty });
    if (does === "next") setAt((at + 1) % contacts.length);
    else if (does === "previous") setAt((at + contacts.length - 1) % contacts.length);
    else if (does === "close") setOpen(false);
    else if (does === "choose" && chosen) choose(chosen);
    else if (does === "commit") recipients.commit(field);
    else if (does === "back" && recipients.in[field].length > 0) tokensIn(line).at(-1)?.focus();
    else return;
    if (event.key === "Tab") return;
    event.preventDefault();
    event.stopPropagation();
  };
  const pasted = (event: ClipboardEvent) => {
    const all = event.clipboardData.getData("text/plain");
    if (!/[,;\n\t<@]/.test(all) || !isEmpty) return;
    event.preventDefault();
    recipients.commit(field, all);
  };
  return { pressed, pasted };
}

/** People whose name or address begins with the typed text. */
function useSuggestions(recipients: Recipients, field: Field) {
  const text = recipients.typed[field];
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const contacts = useContacts(isOpen ? text : "", recipients.in[field]);
  useEffect(() => setAt(0), [text]);
  const choose = ({ name, email, warning }: Contact) => {
    if (warning) recipients.warnings.set(email, warning);
    recipients.add(field, { name, email });
    setOpen(false);
  };
  return { contacts, isShown: isOpen && contacts.length > 0, at, setAt, setOpen, choose };
}

interface Situation {
  isShown: boolean;
  hasChoice: boolean;
  isEmpty: boolean;
}

type Does = "next" | "previous" | "close" | "choose" | "commit" | "back" | null;

/** What a key does in the field; null for all that only write. */
function actionOf(event: KeyboardEvent, { isShown, hasChoice, isEmpty }: Situation): Does {
  const { key } = event;
  const isPlain = !event.ctrlKey && !event.metaKey;
  if (isShown && key === "ArrowDown") return "next";
  if (isShown && key === "ArrowUp") return "previous";
  if (isShown && key === "Escape") return "close";
  if ((key === "Enter" || key === "Tab") && isPlain && !event.shiftKey && hasChoice) return "choose";
  if ((key === "Enter" && isPlain) || key === "," || key === ";") return "commit";
  return isEmpty && (key === "Backspace" || key === "ArrowLeft") ? "back" : null;
}
