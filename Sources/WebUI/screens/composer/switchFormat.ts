import { words } from "../../jmap/errors.ts";
import type { Composer } from "./composer.ts";
import { readDraft } from "./drafts.ts";
import { htmlOf } from "./plainText.ts";

/** Makes a message plain text, or text that can be formatted. Asks before formatting is lost. */
export async function switchFormat(composer: Composer): Promise<void> {
  const { app, content } = composer;
  try {
    if (!content.isRich) await content.put({ html: htmlOf(content.body) });
    else if (await isSure(composer)) await toPlain(composer);
    else return;
    composer.edited();
  } catch (error) {
    app.toasts.problem(words(error));
  }
}

async function isSure({ app, content }: Composer): Promise<boolean> {
  return !content.editor?.isFormatted || await app.dialogs.confirm({
    title: "Switch to plain text?",
    text: "Formatting will be removed. Images in the text become attachments.",
    confirm: "Switch",
    cancel: "Keep Editing",
  });
}

async function toPlain(composer: Composer): Promise<void> {
  const { app, content, accountId } = composer;
  let body = "";
  if (!content.isEmpty) {
    // The program makes the text, as it does when the message is sent.
    composer.edited();
    if (!await composer.save()) throw new Error(composer.saveProblem ?? "The draft could not be saved.");
    const draft = await readDraft(app.client, accountId, { ids: [composer.draftId ?? ""] });
    if (!draft) throw new Error("This draft no longer exists.");
    body = draft.body;
  }
  composer.files.release();
  await content.put({ body, html: null });
}
