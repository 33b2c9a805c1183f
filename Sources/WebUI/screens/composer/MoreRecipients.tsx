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
  const wanted = text.trim().toLowerCase();
  const found = wanted === "" ? list : list.filter(({ name, email }) => {
    return `${name ?? ""} ${email}`.toLowerCase().includes(wanted);
  });
  const pages = Math.max(1, Math.ceil(found.length / MOST_SHOWN));
  const first = Math.min(page, pages - 1) * MOST_SHOWN;
  const shown = found.slice(first, first + MOST_SHOWN);
  const range = shown.length === 0
    ? "No recipients found"
    : `${count(first + 1)} to ${count(first + shown.length)} of ${count(found.length)}`;
  return (
    <Dialog title={`${NAMES[field]}: ${count(list.length)} recipients`} onClose={onClose}>
      <TextField
        label="Find a recipient"
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={(text) => {
          setText(text);
          setPage(0);
        }}
      />
      <ul className="recipient-list" aria-label="Recipients" tabIndex={0}>
        {shown.map((address, index) => (
          <li key={`${address.email}-${first + index}`}>
            <span>
              {address.name && <span className="person-name">{inOrder(address.name)}</span>}
              <span className="person-email">
                <Breakable address={address.email} />
              </span>
            </span>
            <IconButton
              icon="close"
              label={`Remove ${inOrder(address.email)}`}
              onClick={() => onRemove(address)}
            />
          </li>
        ))}
      </ul>
      <div className="recipient-pages">
        <Button disabled={first === 0} onClick={() => setPage(first / MOST_SHOWN - 1)}>Previous</Button>
        <p role="status">{range}</p>
        <Button disabled={first / MOST_SHOWN >= pages - 1} onClick={() => setPage(first / MOST_SHOWN + 1)}>
          Next
        </Button>
      </div>
    </Dialog>
  );
}
