import { type FormEvent, useState } from "react";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/fields.tsx";

interface ImageDialogProps {
  description: string;
  onClose: () => void;
  onDone: (description: string) => void;
}

/** Asks what an image shows, for those who do not see it. */
export function ImageDialog({ description, onClose, onDone }: ImageDialogProps) {
  const [text, setText] = useState(description);
  const done = (event: FormEvent) => {
    event.preventDefault();
    onDone(text.trim());
  };
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="image">Save</Button>
    </>
  );
  return (
    <Dialog title="Image description" onClose={onClose} footer={buttons}>
      <form id="image" className="form" noValidate onSubmit={done}>
        <TextField
          label="Description"
          hint="Read aloud by screen readers, and shown where the image is not."
          data-autofocus
          autoComplete="off"
          value={text}
          onChange={setText}
        />
      </form>
    </Dialog>
  );
}
