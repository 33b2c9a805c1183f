import type { Identity } from "../../jmap/types.ts";
import type { Composer } from "./composer.ts";
import { loadEditor } from "./loadEditor.ts";
import { withSignature } from "./plainParts.ts";
import { htmlOf } from "./plainText.ts";

/** The signature that a message of an identity ends in, as HTML; empty for none. */
export function signatureOf(
  { htmlSignature = "", textSignature = "", replySignature = null }: Identity,
  isReply: boolean,
): string {
  if (isReply && replySignature !== null) return replySignature;
  return htmlSignature || (textSignature.trim() && htmlOf(textSignature));
}

/** Replaces the signature in a message after its sender was changed, unless the user has edited it. */
export async function changeSignature(
  composer: Composer,
  before: Identity | null,
  identity: Identity,
): Promise<void> {
  const { content } = composer;
  const isReply = composer.mode !== "new";
  const [old, html] = [before ? signatureOf(before, isReply) : "", signatureOf(identity, isReply)];
  if (content.isRich) return content.editor?.setSignature(html, old);
  const { textOf } = await loadEditor();
  composer.write(withSignature(content.body, html && textOf(html), old && textOf(old)));
}
