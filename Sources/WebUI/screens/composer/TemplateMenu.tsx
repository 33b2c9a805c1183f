import { type RefObject, useState } from "react";
import { COMPOSING, type ComposingSubject } from "../../actions/composing.ts";
import { menuItems } from "../../actions/offers.ts";
import { openSettings } from "../../actions/openSettings.ts";
import { useObservable } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { MenuButton } from "../../ui/Menu.tsx";
import type { BodyTools } from "./bodyTools.ts";
import type { Composer } from "./composer.ts";
import { SaveTemplateDialog } from "./SaveTemplateDialog.tsx";
import { insertTemplate, templatesOf } from "./templates.ts";

/** More would not fit a menu; the command palette has them all. */
const MOST = 20;

interface TemplateMenuProps {
  composer: Composer;
  subject: ComposingSubject;
  body: RefObject<BodyTools>;
}

/** Inserts a template, or makes the message one. */
export function TemplateMenu({ composer, subject, body }: TemplateMenuProps) {
  const app = useApp();
  const templates = useObservable(templatesOf(app)).list;
  const [isSaving, setSaving] = useState(false);
  const insert = (id: string) => insertTemplate(composer, id, (html) => body.current?.insertHTML(html));
  return (
    <>
      <MenuButton
        label="Templates"
        icon="drafts"
        items={[
          ...templates.slice(0, MOST).map(({ id, name }) => ({ label: name, run: () => void insert(id) })),
          ...menuItems(COMPOSING, { ...subject, saveTemplate: () => setSaving(true) }, "templates"),
          { label: "Manage templates", icon: "settings", run: () => openSettings(app, "composition") },
        ]}
      />
      {isSaving && <SaveTemplateDialog composer={composer} onClose={() => setSaving(false)} />}
    </>
  );
}
