import { type FormEvent, useEffect, useState } from "react";
import type { SavedSearch } from "../../jmap/vendor.ts";
import { useObservable } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { useTask } from "../../store/useTask.ts";
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
        <SearchDialog
          title="Save search"
          name={text}
          onSave={save}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

interface SearchDialogProps {
  title: string;
  name: string;
  /** The search itself, where that can be changed as well. */
  text?: string;
  onSave: (name: string, text: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for the name of a saved search, and for the search. */
export function SearchDialog({ title, name, text, onSave, onClose }: SearchDialogProps) {
  const { isBusy, problem, setProblem, run } = useTask();
  const [typed, setTyped] = useState(name.slice(0, 60));
  const [search, setSearch] = useState(text ?? "");
  useEffect(() => document.querySelector<HTMLInputElement>("#search-form input")?.select(), []);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (typed.trim() === "") return setProblem("Enter a name.");
    if (text !== undefined && search.trim() === "") return setProblem("Enter a search.");
    if (await run(() => onSave(typed.trim(), search.trim()))) onClose();
  };
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="search-form" disabled={isBusy}>Save</Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={buttons}>
      <form id="search-form" className="form" noValidate onSubmit={save}>
        <TextField
          label="Name"
          data-autofocus
          maxLength={60}
          autoComplete="off"
          value={typed}
          problem={text === undefined ? problem : null}
          onChange={setTyped}
        />
        {text !== undefined && (
          <TextField
            label="Search"
            autoComplete="off"
            spellCheck={false}
            value={search}
            problem={problem}
            onChange={setSearch}
          />
        )}
      </form>
    </Dialog>
  );
}
