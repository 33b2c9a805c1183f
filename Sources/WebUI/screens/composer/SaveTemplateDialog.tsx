import { type FormEvent, useState } from "react";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Switch, TextField } from "../../ui/fields.tsx";
import type { Composer } from "./composer.ts";
import { keepTemplate, templateOf, templatesOf } from "./templates.ts";

/** Asks for a name, and keeps what the user wrote as a template. */
export function SaveTemplateDialog({ composer, onClose }: { composer: Composer; onClose: () => void }) {
  const { app } = composer;
  const subject = composer.subject.trim();
  const [name, setName] = useState(subject);
  const [hasSubject, setHasSubject] = useState(composer.mode === "new" && subject !== "");
  const { isBusy, problem, run } = useTask();
  const [html] = useState(() => templateOf(composer));
  const isThere = templatesOf(app).list.some((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!name.trim() || isBusy) return;
    const kept = { name: name.trim(), subject: hasSubject ? subject : null, html };
    if (!await run(() => keepTemplate(app, kept))) return;
    app.toasts.show("Template saved");
    onClose();
  };
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="template" disabled={!name.trim() || isBusy}>
        {isThere ? "Replace" : "Save"}
      </Button>
    </>
  );
  return (
    <Dialog title="Save as template" onClose={onClose} footer={buttons}>
      <form id="template" className="form" noValidate onSubmit={save}>
        <TextField
          label="Name"
          hint={isThere
            ? "This replaces the template of the same name."
            : "Your text is saved without signature, quoted text and attachments."}
          problem={problem}
          data-autofocus
          autoComplete="off"
          maxLength={200}
          value={name}
          onChange={setName}
        />
        {subject && <Switch label="Include the subject" isOn={hasSubject} onChange={setHasSubject} />}
      </form>
    </Dialog>
  );
}
