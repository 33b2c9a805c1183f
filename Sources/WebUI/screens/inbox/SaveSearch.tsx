import { useEffect, useState } from "react";
import { words } from "../../jmap/errors.ts";
import type { SavedSearch } from "../../jmap/vendor.ts";
import { useObservable } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/fields.tsx";

/** Keeps the search in the list of folders. */
export function SaveSearch({ text }: { text: string }) {
  const app = useApp();
  const saved = useObservable(app.records<SavedSearch>("SavedSearch"));
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (saved.status === "empty" && text !== "") saved.load();
  }, [saved, text]);
  if (text === "" || saved.list.some((search) => search.text === text)) return null;
  const save = async (name: string) => {
    await saved.create({ name, text });
    app.toasts.show(`Saved “${name}”.`);
    saved.load();
  };
  return (
    <>
      <IconButton
        icon="star"
        label="Save search"
        aria-haspopup="dialog"
        onClick={() => setAsking(true)}
      />
      {isAsking && (
        <SearchNameDialog
          title="Save search"
          name={text}
          onName={save}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

interface SearchNameDialogProps {
  title: string;
  name: string;
  onName: (name: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for the name of a saved search. */
export function SearchNameDialog({ title, name, onName, onClose }: SearchNameDialogProps) {
  const [typed, setTyped] = useState(name.slice(0, 60));
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => document.querySelector<HTMLInputElement>("#search-name-form input")?.select(), []);
  const save = () => {
    if (typed.trim() === "") return setProblem("Enter a name.");
    onName(typed.trim()).then(onClose).catch((error) => setProblem(words(error)));
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" onClick={save}>Save</Button>
        </>
      }
    >
      <form
        id="search-name-form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label="Name"
          data-autofocus
          maxLength={60}
          autoComplete="off"
          value={typed}
          problem={problem}
          onChange={setTyped}
        />
      </form>
    </Dialog>
  );
}
