import { type FormEvent, useState } from "react";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/fields.tsx";

interface LinkDialogProps {
  /** The selected text: the link's text, or its address. */
  text: string;
  /** The address of the link that is changed; empty for a new one. */
  url: string;
  onClose: () => void;
  /** An empty address removes the link. */
  onLink: (text: string, url: string) => void;
}

/** Asks for a link's address and text. */
export function LinkDialog({ text, url: before, onClose, onLink }: LinkDialogProps) {
  const isAddress = !before && /^https?:\/\/\S+$/.test(text);
  const [label, setLabel] = useState(isAddress ? "" : text);
  const [url, setUrl] = useState(isAddress ? text : before);
  const [problem, setProblem] = useState<string | null>(null);
  const done = (event: FormEvent) => {
    event.preventDefault();
    const address = addressOf(url.trim());
    if (!address) return setProblem("Enter a web address, such as https://example.com.");
    onLink(label.trim() || url.trim(), address);
  };
  const buttons = (
    <>
      {before && <Button onClick={() => onLink(text, "")}>Remove link</Button>}
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="link">{before ? "Save link" : "Insert link"}</Button>
    </>
  );
  return (
    <Dialog title="Link" onClose={onClose} footer={buttons}>
      <form id="link" className="form" noValidate onSubmit={done}>
        <TextField
          label="Address"
          inputMode="url"
          data-autofocus
          autoComplete="off"
          value={url}
          problem={problem}
          onChange={setUrl}
        />
        <TextField
          label="Text"
          hint="Shown instead of the address."
          value={label}
          onChange={setLabel}
        />
      </form>
    </Dialog>
  );
}

/** The address of a page or person, or null. */
function addressOf(typed: string): string | null {
  const address = /^[a-z][a-z0-9+.-]*:/i.test(typed) ? typed : `https://${typed}`;
  return /^(https?:\/\/[^\s/.]|mailto:[^\s@]+@)\S*$/i.test(address) ? address : null;
}
