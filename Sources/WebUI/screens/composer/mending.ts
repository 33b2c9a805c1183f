import type { JMAPClient } from "../../jmap/client.ts";
import type { DraftContent } from "../../jmap/compose.ts";
import type { Id, Identity } from "../../jmap/types.ts";
import { counted } from "../../store/words.ts";
import { withoutLostImages } from "./images.ts";

/** What the user must know of a draft that was changed so that it can be sent. */
export type Notes = Map<"sender" | "images", string>;

/** A draft that can be sent: without a sender that was removed, and without images that were never saved. */
export async function mended<D extends DraftContent>(
  client: JMAPClient,
  accountId: Id,
  draft: D,
): Promise<{ draft: D; notes: Notes }> {
  const notes: Notes = new Map();
  const sender = await newSender(client, accountId, draft.identityId);
  if (sender) notes.set("sender", sender.note);
  const { html, count } = withoutLostImages(draft.html ?? "", draft.attachments);
  if (count > 0) notes.set("images", lost(count));
  const changes = { ...(sender && { identityId: sender.identityId }), ...(count > 0 && { html }) };
  return { draft: { ...draft, ...changes }, notes };
}

function lost(count: number): string {
  return count === 1
    ? "An image in this draft was lost because mailkernel closed before it was attached. Insert it again."
    : `${
      counted(count, "image")
    } in this draft were lost because mailkernel closed before they were attached. ` +
      "Insert them again.";
}

/** The message that is open. */
interface Open {
  readonly app: { client: JMAPClient };
  readonly accountId: Id;
  readonly identityId: Id;
  readonly isReady: boolean;
  readonly isSending: boolean;
  readonly notes: Notes;
  set(patch: { identityId: Id }): void;
}

/** The address that an open message was to be sent from may have been removed. */
export async function checkSender(open: Open): Promise<void> {
  const { app, accountId, identityId } = open;
  const isBusy = () => !open.isReady || open.isSending;
  const sender = isBusy() ? null : await newSender(app.client, accountId, identityId);
  const isSame = open.accountId === accountId && open.identityId === identityId;
  if (!sender || !isSame || isBusy()) return;
  open.notes.set("sender", sender.note);
  open.set({ identityId: sender.identityId });
}

/** The identity of new messages, if the account no longer has that of a draft. */
async function newSender(
  client: JMAPClient,
  accountId: Id,
  identityId: Id,
): Promise<{ identityId: Id; note: string } | null> {
  try {
    const { list } = await client.call<{ list: Identity[] }>("Identity/get", { accountId, ids: null });
    if (list.some(({ id }) => id === identityId)) return null;
    const { draft } = await client.call<{ draft: DraftContent }>("Draft/prefill", { accountId, mode: "new" });
    const identity = list.find(({ id }) => id === draft.identityId);
    return identity
      ? {
        identityId: identity.id,
        note:
          `The address that this draft was from has been removed. It will be sent from ${identity.email}.`,
      }
      : null;
  } catch {
    // The draft opens all the same. Why it cannot be saved is said when it is tried.
    return null;
  }
}
