import type { JMAPClient } from "../../jmap/client.ts";
import type { Draft, DraftAttachment, DraftContent, Sent } from "../../jmap/compose.ts";
import { MethodError, Unreachable } from "../../jmap/errors.ts";
import type { EmailSubmission, Id } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";
import { holdingOf } from "../../store/holding.ts";
import { messageFiles, messageNames } from "../../store/messageFiles.ts";
import { refuse, type SetAnswer } from "../../store/records.ts";
import { utc } from "../../store/words.ts";
import { UNKNOWN } from "./following.ts";
import type { Writing } from "./writing.ts";

const PAUSE = 2000;

/** What tells one version of a draft from another. */
export type Version = Pick<Draft, "conflict" | "emailId" | "savedAt">;

/** A draft as the program keeps it, by its own id or by the email in Drafts; undefined if it is not there. */
export async function readDraft(
  client: JMAPClient,
  accountId: Id,
  which: { ids: Id[] } | { emailIds: Id[] },
): Promise<Draft | undefined> {
  const { list } = await client.call<{ list: Draft[] }>("Draft/get", { accountId, ...which });
  return list[0];
}

/**
 * Keeps a draft, under its own id or as a new one where it has none yet.
 *
 * - Parameter origin: what never changes, and is told once.
 */
export async function writeDraft(
  client: JMAPClient,
  accountId: Id,
  id: Id | null,
  values: Record<string, unknown>,
  origin: Record<string, unknown>,
): Promise<Partial<Draft> & { id: Id }> {
  const what = id ? { update: { [id]: values } } : { create: { new: { ...values, ...origin } } };
  const answer = await client.call<SetAnswer>("Draft/set", { accountId, ...what });
  if (id && answer.notUpdated?.[id]?.type === "notFound") {
    // It was deleted elsewhere, and is still written on here: that is worth more.
    return await writeDraft(client, accountId, null, values, origin);
  }
  refuse(answer);
  const made = (id ? answer.updated?.[id] : answer.created?.["new"]) as Partial<Draft> | null | undefined;
  return { ...made, id: id ?? made?.id ?? "" };
}

/** What a message begins with: a draft that there is, or what the program fills in. */
export async function openDraft(
  client: JMAPClient,
  accountId: Id,
  { mode, emailId, mailto, draftEmailId, draftId, submissionId, attached }: Writing,
): Promise<
  {
    draft: DraftContent & Partial<Version>;
    draftId: Id | null;
    failure: string | null;
  }
> {
  if (draftEmailId || draftId) {
    const which = draftId ? { ids: [draftId] } : { emailIds: [draftEmailId ?? ""] };
    const draft = await readDraft(client, accountId, which);
    if (!draft) throw new Error("This draft no longer exists.");
    // A message that another program submitted was not a draft before.
    const failure = draft.failure ??
      (submissionId ? await readFailure(client, accountId, submissionId) : null);
    return { draft, draftId: draft.id, failure };
  }
  const { draft } = await client.call<{ draft: DraftContent }>("Draft/prefill", {
    accountId,
    mode,
    ...(emailId ? { emailId } : {}),
    ...(mailto ? { mailto } : {}),
  });
  if (attached) draft.attachments.push(...await attachedTo(client, accountId, attached.split(",")));
  return { draft, draftId: null, failure: null };
}

/** Whole messages as files of a draft. */
async function attachedTo(client: JMAPClient, accountId: Id, ids: Id[]): Promise<DraftAttachment[]> {
  const files = await messageFiles(client, accountId, ids);
  const names = messageNames(files);
  return files.map(({ blobId, size }, at) => ({
    blobId,
    name: names[at] ?? "",
    type: "message/rfc822",
    size,
    isPending: false,
    problem: null,
  }));
}

/** The same message without formatting, for those who prefer that; images in its text are left out. */
export function asPlain(draft: DraftContent): DraftContent {
  if (typeof draft.html !== "string") return draft;
  return {
    ...draft,
    html: null,
    attachments: draft.attachments.filter(({ disposition }) => disposition !== "inline"),
  };
}

/** Why a submission failed, for the user; null if that is not known. The draft opens without it. */
export async function readFailure(client: JMAPClient, accountId: Id, id: Id): Promise<string | null> {
  try {
    const { list } = await client.call<{ list: EmailSubmission[] }>("EmailSubmission/get", {
      accountId,
      ids: [id],
    });
    const [submission] = list;
    if (!submission?.failure) return null;
    // The reason itself says that the message may have been sent.
    return submission.mayHaveBeenSent
      ? submission.failure
      : `This message was not sent. ${submission.failure}`;
  } catch {
    return null;
  }
}

/** Loads the version from elsewhere and returns it, or keeps the one that is written here. */
export async function settleConflict(
  client: JMAPClient,
  accountId: Id,
  id: Id,
  how: "reload" | "keep",
): Promise<Draft | undefined> {
  refuse(await client.call<SetAnswer>("Draft/set", { accountId, update: { [id]: { conflict: how } } }));
  return how === "reload" ? await readDraft(client, accountId, { ids: [id] }) : undefined;
}

/** When a message is sent and by whom; without a time, now and from this computer. */
export interface Later {
  at?: Date | undefined;
  /** The service gets it, and sends it then. */
  isByService?: boolean;
}

/**
 * Sends a draft that is saved.
 *
 * - Parameter emailId: what shows the draft in Drafts.
 */
export async function sendDraft(
  app: App,
  accountId: Id,
  { draftId: id, emailId }: { draftId: Id; emailId: Id | null },
  { at, isByService = false }: Later = {},
): Promise<Sent> {
  const later = at ? { sendAt: utc(at), ...(isByService && { isHandedOver: true }) } : {};
  try {
    return await app.client.call<Sent>("Draft/send", { accountId, id, ...later });
  } catch (error) {
    if (isByService && error instanceof MethodError && error.type === "forbidden") {
      holdingOf(app).forget(accountId);
    }
    if (!(error instanceof Unreachable)) throw error;
    const sent = await whetherSent(app, accountId, id, isByService ? emailId : null);
    return { ...sent, ...later, isScheduled: at !== undefined && !isByService };
  }
}

/**
 * The program may have taken a draft before it was gone. Until it says so, the draft is not sent again.
 *
 * - Parameter heldEmailId: of a draft that its service was to send later: then it is not in Sent.
 */
async function whetherSent(app: App, accountId: Id, id: Id, heldEmailId: Id | null): Promise<Sent> {
  const toast = app.toasts.show(UNKNOWN, { seconds: null });
  const fate = async () => {
    const draft = await readDraft(app.client, accountId, { ids: [id] });
    if (draft || !heldEmailId) return { draft, submissionId: draft?.submissionId };
    return { draft, submissionId: await readHandedOver(app.client, accountId, heldEmailId) };
  };
  const { draft, submissionId } = await answerTo(fate).finally(() => app.toasts.dismiss(toast));
  const emailId = draft?.emailId ?? (draft ? null : heldEmailId);
  if (submissionId && emailId) return { accountId, submissionId, emailId, sendAt: "", undoSeconds: 0 };
  if (draft) throw new Error("Your message was not sent. It is still open here.");
  throw new Error(
    heldEmailId
      ? "This draft no longer exists. Check “Scheduled” and Sent before sending it again."
      : "This draft no longer exists. Check Sent before sending it again.",
  );
}

/** What hands the message of a draft to its service, or has done so; undefined if there is no such submission. */
async function readHandedOver(client: JMAPClient, accountId: Id, emailId: Id): Promise<Id | undefined> {
  const batch = client.batch();
  const query = batch.add("EmailSubmission/query", { accountId, filter: { emailIds: [emailId] } });
  const got = batch.add<{ list: EmailSubmission[] }>("EmailSubmission/get", {
    accountId,
    "#ids": query.ref("/ids"),
  });
  await batch.send();
  return (await got.answer).list.find(({ isHandedOver }) => isHandedOver)?.id;
}

/** Asks until there is an answer. */
async function answerTo<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    // What the program was doing is done by then.
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    try {
      return await ask();
    } catch {
      // It is still gone, or locked.
    }
  }
}
