import { type FormEvent, useState } from "react";
import type { Template } from "../../jmap/compose.ts";
import { useApp } from "../../store/app.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FieldProblem, TextField } from "../../ui/fields.tsx";
import { RichField } from "../composer/RichField.tsx";
import { templatesOf } from "../composer/templates.ts";

const EXPLANATION =
  "{first name}, {name}, {subject} and {date} are filled in when you insert the template. Unknown ones stay in the text, and mailkernel asks before it sends them.";

/** Edits a template, or makes one. */
export function TemplateDialog({ template, onClose }: { template: Template | null; onClose: () => void }) {
  const app = useApp();
  const { isBusy, problem, run } = useTask();
  const [name, setName] = useState(template?.name ?? "");
  const [subject, setSubject] = useState(template?.subject ?? "");
  const [html, setHTML] = useState(template?.html ?? "");
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !name.trim()) return;
    const values = { name: name.trim(), subject: subject.trim() || null, html };
    const templates = templatesOf(app);
    const work = () => template ? templates.save(template.id, values) : templates.create(values);
    if (await run(work)) onClose();
  };
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="template" disabled={isBusy || !name.trim()}>Save</Button>
    </>
  );
  return (
    <Dialog title={template ? "Edit template" : "New template"} isWide onClose={onClose} footer={buttons}>
      <form id="template" className="form" noValidate onSubmit={save}>
        <TextField
          label="Name"
          data-autofocus
          autoComplete="off"
          maxLength={200}
          value={name}
          onChange={setName}
        />
        <TextField
          label="Subject"
          hint="Used if the message has none. Can be empty."
          autoComplete="off"
          maxLength={400}
          value={subject}
          onChange={setSubject}
        />
        <RichField label="Text" hint={EXPLANATION} html={html} onChange={setHTML} />
        {problem && <FieldProblem>{problem}</FieldProblem>}
      </form>
    </Dialog>
  );
}
