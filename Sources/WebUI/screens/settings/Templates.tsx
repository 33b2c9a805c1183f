import { useState } from "react";
import type { Template } from "../../jmap/compose.ts";
import { useApp } from "../../store/app.ts";
import { useSave } from "../../store/useTask.ts";
import { useObservable } from "../../base/observable.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { templatesOf } from "../composer/templates.ts";
import { ActionRow } from "./Row.tsx";
import { TemplateDialog } from "./TemplateDialog.tsx";

/** The texts that the user writes again and again. */
export function Templates() {
  const app = useApp();
  const templates = useObservable(templatesOf(app));
  const [edited, setEdited] = useState<{ template: Template | null } | null>(null);
  return (
    <>
      <ActionRow
        heads="templates"
        title="Templates"
        text="Text that you insert into messages, with placeholders for names and dates."
      >
        <Button icon="plus" onClick={() => setEdited({ template: null })}>New template</Button>
      </ActionRow>
      {templates.list.map((template) => (
        <TemplateRow
          key={template.id}
          template={template}
          onEdit={() => setEdited({ template })}
        />
      ))}
      {edited && <TemplateDialog {...edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function TemplateRow({ template, onEdit }: { template: Template; onEdit: () => void }) {
  const app = useApp();
  const { save } = useSave();
  const { id, name, subject } = template;
  const remove = async () => {
    const isSure = await app.dialogs.confirm({
      title: `Delete the template “${name}”?`,
      confirm: "Delete",
      isDestructive: true,
    });
    if (isSure) await save(() => templatesOf(app).destroy(id));
  };
  return (
    <ActionRow list="templates" title={name} text={subject ? `Template. Subject: ${subject}` : "Template"}>
      <Button onClick={onEdit} aria-label={`Edit the template “${name}”`}>Edit</Button>
      <IconButton icon="trash" label={`Delete the template “${name}”`} onClick={remove} />
    </ActionRow>
  );
}
