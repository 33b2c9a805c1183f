import type { Template } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";
import { type App, PROGRAM } from "../../store/app.ts";
import type { Records } from "../../store/records.ts";
import type { Composer } from "./composer.ts";
import { loadEditor } from "./loadEditor.ts";
import { ownText } from "./plainParts.ts";
import { htmlOf } from "./plainText.ts";

/** The user's templates, by name. */
export function templatesOf(app: App): Records<Template> {
  const records = app.records<Template>("Template");
  if (records.status === "empty") records.load();
  return records;
}

/** Inserts a template with its placeholders filled; its subject only if the message has none. */
export async function insertTemplate(
  composer: Composer,
  id: string,
  insert: (html: string) => void,
): Promise<void> {
  const { app, recipients, subject } = composer;
  try {
    recipients.commitAll();
    const filled = await app.client.call<{ html: string; subject: string | null }>("Template/fill", {
      accountId: PROGRAM,
      id,
      subject,
      to: recipients.content.to,
    });
    if (filled.subject && !composer.subject.trim()) composer.set({ subject: filled.subject });
    insert(filled.html);
    composer.edited();
  } catch (error) {
    app.toasts.problem(words(error));
  }
}

/** Inserts a template where the caret of the message was last; without formatting, at its beginning. */
export async function insertInto(composer: Composer, id: string): Promise<void> {
  const { content } = composer;
  if (content.isRich) return await insertTemplate(composer, id, (html) => content.editor?.insertHTML(html));
  const { textOf } = await loadEditor();
  await insertTemplate(composer, id, (html) => composer.write(`${textOf(html)}\n${content.body}`));
}

/** What the user wrote, as a template keeps it. */
export function templateOf({ content }: Composer): string {
  if (content.isRich) return content.editor?.ownHTML ?? "";
  const text = ownText(content.body);
  return text && htmlOf(text);
}

/** Keeps a template; one of the same name is replaced. */
export async function keepTemplate(app: App, template: Omit<Template, "id">): Promise<void> {
  const templates = templatesOf(app);
  const same = templates.list.find(({ name }) => name.toLowerCase() === template.name.toLowerCase());
  if (same) await templates.save(same.id, template);
  else await templates.create({ ...template });
}
