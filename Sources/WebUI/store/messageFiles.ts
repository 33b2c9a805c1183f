import type { JMAPClient } from "../jmap/client.ts";
import type { EmailHeader, Id, Thread } from "../jmap/types.ts";
import { fileNames } from "./attachments.ts";
import type { Parts } from "./parts.ts";
import type { Target } from "./target.ts";

/** A whole message as a file. */
export interface MessageFile {
  accountId: Id;
  id: Id;
  blobId: Id;
  size: number;
  subject: string | null;
}

/** So many are asked for in one call. */
const PART = 500;

/** Messages as files, in the order of their ids. */
export async function messageFiles(client: JMAPClient, accountId: Id, ids: Id[]): Promise<MessageFile[]> {
  const properties = ["id", "blobId", "size", "subject"];
  const list = await inParts<Omit<MessageFile, "accountId">>(client, "Email", accountId, ids, properties);
  return list.map((file) => ({ ...file, accountId }));
}

/** Names of the files, no two of them the same. */
export function messageNames(files: MessageFile[]): string[] {
  return fileNames(files.map(({ subject }) => `${subject?.trim().slice(0, 100) || "message"}.eml`));
}

/** The messages of conversations: without drafts, and those in Trash and Spam only where they are looked at there. */
export async function messagesOf(app: Parts, targets: Target[]): Promise<MessageFile[]> {
  const files: MessageFile[] = [];
  for (const accountId of new Set(targets.map((target) => target.accountId))) {
    const own = targets.filter((target) => target.accountId === accountId);
    const threadIds = own.map(({ threadId }) => threadId);
    const threads = await inParts<Thread>(app.client, "Thread", accountId, threadIds);
    const all = threads.flatMap(({ emailIds }) => emailIds);
    const properties = ["id", "threadId", "keywords", "mailboxIds"];
    const emails = await inParts<EmailHeader>(app.client, "Email", accountId, all, properties);
    const apart = app.account(accountId)?.mailboxes.list.filter(({ role }) =>
      role === "trash" || role === "junk"
    );
    const wanted = emails.filter(({ threadId, keywords, mailboxIds }) => {
      const mailboxId = own.find((target) => target.threadId === threadId)?.mailboxId ?? "";
      const isApart = apart?.some(({ id }) => mailboxIds[id]) && !mailboxIds[mailboxId];
      return !keywords["$draft"] && !isApart;
    });
    files.push(...await messageFiles(app.client, accountId, wanted.map(({ id }) => id)));
  }
  return files;
}

async function inParts<T extends { id: Id }>(
  client: JMAPClient,
  type: string,
  accountId: Id,
  ids: Id[],
  properties?: string[],
): Promise<T[]> {
  const found = new Map<Id, T>();
  for (let at = 0; at < ids.length; at += PART) {
    const { list } = await client.call<{ list: T[] }>(`${type}/get`, {
      accountId,
      ids: ids.slice(at, at + PART),
      ...(properties && { properties }),
    });
    for (const one of list) found.set(one.id, one);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}
