import { useState } from "react";
import type { Address } from "../../jmap/types.ts";
import { count, inOrder } from "../../store/words.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import { type Field, NAMES } from "./recipients.ts";

/** How many recipients a field shows, and a page of the list of all. A mailing to everyone can have 100,000. */
export const MOST_SHOWN = 100;

interface MoreRecipientsProps {
  field: Field;
  list: Address[];
  onRemove: (address: Address) => void;
}

/** Says how many more recipients there are, and shows all of them, a page at a time. */
export function MoreRecipients({ field, list, onRemove }: MoreRecipientsProps) {
  const [isOpen, setOpen] = useState(false);
  const more = list.length - MOST_SHOWN;
  if (more <= 0) return null;
  return (
    <>
      <button
        type="button"
        className="tokens-more"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        and {count(more)} more
      </button>
      {isOpen && (
        <AllRecipients
          field={field}
          list={list}
          onRemove={onRemove}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function AllRecipients({ field, list, onRemove, onClose }: MoreRecipientsProps & { onClose: () => void }) {
  const [text, setText] = useState("");
  const [page, setPage] = useState(0);
  const found = matching(list, text);
  const last = Math.max(0, Math.ceil(found.length / MOST_SHOWN) - 1);
  const at = Math.min(page, last);
  const first = at * MOST_SHOWN;
  const shown = found.slice(first, first + MOST_SHOWN);
  const range = shown.length === 0
    ? "No recipients found"
    : `${count(first + 1)} to ${count(first + shown.length)} of ${count(found.length)}`;
  const find = (text: string) => {
    setText(text);
    setPage(0);
  };
  return (
    <Dialog title={`${NAMES[field]}: ${count(list.length)} recipients`} onClose={onClose}>
      <TextField
        label="Find a recipient"
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={find}
      />
      <ul className="recipient-list" aria-label="Recipients" tabIndex={0}>
        {shown.map((address, index) => (
          <li key={`${address.email}-${first + index}`}>
            <Recipient address={address} onRemove={() => onRemove(address)} />
          </li>
        ))}
      </ul>
      <div className="recipient-pages">
        <Button disabled={at === 0} onClick={() => setPage(at - 1)}>Previous</Button>
        <p role="status">{range}</p>
        <Button disabled={at >= last} onClick={() => setPage(at + 1)}>Next</Button>
      </div>
    </Dialog>
  );
}

function matching(list: Address[], text: string): Address[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return list;
  return list.filter(({ name, email }) => `${name ?? ""} ${email}`.toLowerCase().includes(wanted));
}

function Recipient({ address: { name, email }, onRemove }: { address: Address; onRemove: () => void }) {
  return (
    <>
      <span>
        {name && <span className="person-name">{inOrder(name)}</span>}
        <span className="person-email">
          <Breakable address={email} />
        </span>
      </span>
      <IconButton icon="close" label={`Remove ${inOrder(email)}`} onClick={onRemove} />
    </>
  );
}
