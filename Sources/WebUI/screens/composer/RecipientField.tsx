import { type DragEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import type { Address } from "../../jmap/types.ts";
import { count } from "../../store/words.ts";
import { FieldProblem } from "../../ui/fields.tsx";
import { shownAddress } from "./addresses.ts";
import type { Composer } from "./composer.ts";
import { MoreRecipients, MOST_SHOWN } from "./MoreRecipients.tsx";
import { RecipientInput } from "./RecipientInput.tsx";
import { type Field, NAMES } from "./recipients.ts";
import { Token } from "./Token.tsx";
import { useTokens } from "./useTokens.ts";
import "./recipients.css";

interface RecipientFieldProps {
  composer: Composer;
  field: Field;
  takesFocus: boolean;
  children: ReactNode;
}

const MOST_REASONS = 5;
const DRAGGED = "application/x-mailkernel-recipient";

/** Recipients as tokens, and a field with suggestions. */
export function RecipientField({ composer, field, takesFocus, children }: RecipientFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const line = useRef<HTMLDivElement>(null);
  const { isOver, ...dropping } = useDropping(composer, field);
  const { recipients } = composer;
  const wrong = recipients.wrongIn(field);
  useEffect(() => {
    if (takesFocus) input.current?.focus();
  }, [takesFocus]);
  return (
    <div ref={line} className={`line ${isOver ? "line-over" : ""}`} {...dropping}>
      <label className="line-label" htmlFor={id}>{NAMES[field]}</label>
      <div
        className="tokens"
        onClick={(event) => event.target === event.currentTarget && input.current?.focus()}
      >
        <Tokens composer={composer} field={field} line={line} input={input} />
        <MoreRecipients
          field={field}
          list={recipients.in[field]}
          onRemove={(address) => recipients.remove(field, address)}
        />
        <RecipientInput ref={input} id={id} recipients={recipients} field={field} line={line} />
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

interface TokensProps {
  composer: Composer;
  field: Field;
  line: RefObject<HTMLElement>;
  input: RefObject<HTMLInputElement>;
}

function Tokens({ composer, field, line, input }: TokensProps) {
  const { recipients } = composer;
  const list = recipients.in[field];
  const { remove, edit, pressed } = useTokens(recipients, field, line, input);
  if (list.length === 0) return null;
  const drag = (event: DragEvent, address: Address) => {
    const dragged = JSON.stringify({ address, from: field, key: composer.key });
    event.dataTransfer.setData(DRAGGED, dragged);
    event.dataTransfer.setData("text/plain", shownAddress(address));
  };
  const unit = list.length === 1 ? "recipient" : "recipients";
  return (
    <ul aria-label={`${NAMES[field]}: ${count(list.length)} ${unit}`}>
      {list.slice(0, MOST_SHOWN).map((address, index) => (
        <Token
          key={`${address.email}-${index}`}
          address={address}
          wrong={recipients.wrong(address)}
          warning={recipients.warnings.get(address.email) ?? null}
          onKey={(event) => pressed(event, address, index)}
          onEdit={() => edit(address)}
          onRemove={() => remove(address, index)}
          onDrag={(event) => drag(event, address)}
        />
      ))}
    </ul>
  );
}

/** Recipients are dragged from field to field, and text is dropped as addresses. */
function useDropping({ key: own, recipients }: Composer, field: Field) {
  const [isOver, setOver] = useState(false);
  return {
    isOver,
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAGGED)) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      const data = event.dataTransfer.getData(DRAGGED);
      const typed = data ? "" : event.dataTransfer.getData("text/plain");
      if (!data && !typed) return;
      event.preventDefault();
      event.stopPropagation();
      if (typed) return recipients.commit(field, typed);
      const { address, from, key } = JSON.parse(data) as { address: Address; from: Field; key: number };
      if (key === own) recipients.move(address, from, field);
      else recipients.add(field, address);
    },
  };
}

/** All that is wrong, as far as a person reads it. */
function sentences(wrong: string[]): string {
  const more = wrong.length - MOST_REASONS;
  return [...wrong.slice(0, MOST_REASONS), ...(more > 0 ? [`The same applies to ${count(more)} more.`] : [])]
    .join(" ");
}
