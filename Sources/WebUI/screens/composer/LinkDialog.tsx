import { type FormEvent, useState } from "react";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/fields.tsx";

interface LinkDialogProps {
  /** The selected text: the link's text, or its address. */
  text: string;
  onClose: () => void;
  onLink: (text: string, url: string) => void;
}

/** Asks for a link's address and text. */
export function LinkDialog({ text, onClose, onLink }: LinkDialogProps) {
  const isAddress = /^https?:\/\/\S+$/.test(text);
  const [label, setLabel] = useState(isAddress ? "" : text);
  const [url, setUrl] = useState(isAddress ? text : "");
  const [problem, setProblem] = useState<string | null>(null);
  const done = (event: FormEvent) => {
    event.preventDefault();
    const address = addressOf(url.trim());
    if (!address) return setProblem("Enter a web address, such as https://example.com.");
    // Brackets would end the link too early.
    onLink((label.trim() || url.trim()).replace(/[[\]]/g, ""), address);
  };
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="link">Insert link</Button>
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
  if (!/^(https?:\/\/[^\s/.]|mailto:[^\s@]+@)\S*$/i.test(address)) return null;
  // Brackets would end the link too early.
  return address.replace(/\(/g, "%28").replace(/\)/g, "%29");
}
