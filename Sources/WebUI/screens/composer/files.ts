import { downloadURL, type Upload, upload } from "../../jmap/blobs.ts";
import type { DraftAttachment } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";
import type { Id } from "../../jmap/types.ts";
import { inOrder } from "../../store/words.ts";
import { contentID } from "./images.ts";

/** A file of a message: on its way to the program, or with it. */
export interface AttachedFile {
  key: number;
  name: string;
  type: string;
  size: number;
  blobId: Id | null;
  /** Bytes that the program has, while it is on its way. */
  sent: number | null;
  /** An attachment of the forwarded message that is not on this device yet. */
  isPending: boolean;
  problem: string | null;
  /** The name by which the text shows it; null for a file beside the text. */
  cid: string | null;
  /** Where the page has it, if it was added here. */
  url: string | null;
}

interface Kept {
  blobId: Id;
  name: string;
  type: string;
  size: number;
  problem?: string;
  cid?: string;
  disposition?: "inline";
}

interface Owner {
  readonly accountId: Id;
  readonly app: { client: { call<T>(name: string, values: Record<string, unknown>): Promise<T> } };
}

/** Where a file is that could not be taken along to another account. */
interface Origin {
  accountId: Id;
  blobId: Id;
}

const NOT_COPIED = "The file could not be copied to the other account.";

let lastKey = 0;

/** The files of a message. */
export class Files {
  list: AttachedFile[] = [];
  readonly #uploads = new Map<number, Upload>();
  readonly #sources = new Map<number, File>();
  readonly #origins = new Map<number, Origin>();

  /** `changed` receives whether the draft has changed, or only the progress of a file. */
  constructor(private readonly owner: Owner, private readonly changed: (isEdit: boolean) => void) {}

  /** Files are still on their way, or could not be taken. */
  get isBusy(): boolean {
    return this.list.some((file) => file.blobId === null);
  }

  /** Those that are listed: an image in the text is seen there, unless something is wrong with it. */
  get listed(): AttachedFile[] {
    return this.list.filter(({ cid, blobId, problem }) =>
      cid === null || blobId === null || problem !== null
    );
  }

  /** As a draft keeps them. One without its problem is tried again. */
  get kept(): Kept[] {
    return this.list.flatMap(({ blobId, name, type, size, problem, cid }) => {
      if (!blobId) return [];
      const shown = cid ? { cid, disposition: "inline" as const } : {};
      return [{ blobId, name, type, size, ...(problem ? { problem } : {}), ...shown }];
    });
  }

  show(attachments: DraftAttachment[]): void {
    this.list = attachments.map(({ cid = null, disposition, ...attachment }) => ({
      ...attachment,
      name: inOrder(attachment.name ?? "") || "Attachment",
      key: ++lastKey,
      sent: null,
      cid: disposition === "inline" ? cid : null,
      url: null,
    }));
  }

  /** Where an image of the text is shown from. */
  imageURL(cid: string): string | null {
    const file = this.list.find((file) => file.cid === cid);
    if (!file?.blobId) return file?.url ?? null;
    return file.url ?? downloadURL(this.owner.accountId, file.blobId, file.name, file.type);
  }

  /** What the program says of those that it has. */
  heard(attachments: DraftAttachment[]): void {
    // A blob that became the draft's own may have another id: the order is what stays.
    const told = [...attachments];
    this.list = this.list.map((file) => {
      if (file.blobId === null) return file;
      const at = told.findIndex((one) => one.blobId === file.blobId);
      const [match] = told.splice(Math.max(at, 0), 1);
      if (!match) return file;
      return { ...file, blobId: match.blobId, isPending: match.isPending, problem: match.problem };
    });
  }

  add(files: Iterable<File>): void {
    for (const file of files) this.#add(file, null);
    this.changed(false);
  }

  /** An image that the text shows; returns the name by which it does. */
  addImage(file: File): string {
    const cid = contentID();
    this.#add(file, cid);
    this.changed(false);
    return cid;
  }

  #add(file: File, cid: string | null): void {
    const key = ++lastKey;
    this.list = [...this.list, {
      key,
      name: file.name || "Attachment",
      type: file.type || "application/octet-stream",
      size: file.size,
      blobId: null,
      sent: 0,
      isPending: false,
      problem: null,
      cid,
      url: cid ? URL.createObjectURL(file) : null,
    }];
    this.#sources.set(key, file);
    this.#send(key, file);
  }

  /** Images of the text become files beside it. */
  release(): void {
    this.list = this.list.map((file) => ({ ...file, cid: null }));
    this.changed(false);
  }

  /** The message is closed. */
  end(): void {
    for (const { url } of this.list) if (url) URL.revokeObjectURL(url);
  }

  remove(key: number): void {
    this.#uploads.get(key)?.cancel();
    this.#forget(key);
    const isKept = this.list.some((file) => file.key === key && file.blobId !== null);
    this.list = this.list.filter((file) => file.key !== key);
    this.changed(isKept);
  }

  retry(key: number): void {
    const origin = this.#origins.get(key);
    if (origin) return void this.#fetch(key, origin);
    const source = this.#sources.get(key);
    if (source) this.#send(key, source);
    this.#update(key, { problem: null, sent: source ? 0 : null }, source === undefined);
  }

  cancel(): void {
    for (const running of this.#uploads.values()) running.cancel();
    this.#uploads.clear();
  }

  /** Copies the files to another account. Returns which is which there; null for one that could not be copied. */
  async copyTo(accountId: Id): Promise<Map<Id, Id | null>> {
    return await this.#copy(this.owner.accountId, accountId, this.list.flatMap(({ blobId }) => blobId ?? []));
  }

  /** The message belongs to another account now. What is on its way to the one before is sent again. */
  moved(fromAccountId: Id, copied: Map<Id, Id | null>): void {
    const { accountId } = this.owner;
    const late: [number, Origin][] = [];
    this.list = this.list.map((file): AttachedFile => {
      const { key, blobId } = file;
      const origin = blobId ? { accountId: fromAccountId, blobId } : this.#origins.get(key);
      if (!origin) return file;
      const id = origin.accountId === accountId ? origin.blobId : blobId && copied.get(blobId);
      if (id) {
        this.#origins.delete(key);
        return { ...file, blobId: id, problem: blobId ? file.problem : null };
      }
      this.#origins.set(key, origin);
      // One that arrived in the meantime was not copied yet.
      if (blobId && !copied.has(blobId)) late.push([key, origin]);
      return { ...file, blobId: null, problem: NOT_COPIED };
    });
    for (const [key, running] of this.#uploads) {
      const source = this.#sources.get(key);
      running.cancel();
      if (source) this.#send(key, source);
    }
    for (const [key, origin] of late) this.#fetch(key, origin);
    this.changed(false);
  }

  /** Files of the message are still in the account that it was in before. */
  get areLeftBehind(): boolean {
    return this.#origins.size > 0;
  }

  async #copy(fromAccountId: Id, accountId: Id, blobIds: Id[]): Promise<Map<Id, Id | null>> {
    if (blobIds.length === 0) return new Map();
    const { copied } = await this.owner.app.client.call<{ copied: Record<Id, Id> | null }>("Blob/copy", {
      fromAccountId,
      accountId,
      blobIds,
    });
    return new Map(blobIds.map((id) => [id, copied?.[id] ?? null]));
  }

  /** Tries again to take one along. */
  async #fetch(key: number, origin: Origin): Promise<void> {
    const { accountId } = this.owner;
    this.#update(key, { problem: null });
    try {
      const blobId = (await this.#copy(origin.accountId, accountId, [origin.blobId])).get(origin.blobId);
      if (!blobId || this.owner.accountId !== accountId) throw new Error(NOT_COPIED);
      this.#origins.delete(key);
      this.#update(key, { blobId }, true);
    } catch (error) {
      this.#update(key, { problem: words(error) });
    }
  }

  async #send(key: number, source: File): Promise<void> {
    const running = upload(this.owner.accountId, source, (sent) => this.#update(key, { sent }));
    this.#uploads.set(key, running);
    try {
      const { blobId, type, size } = await running.done;
      // It went to the account that the message was in before.
      if (this.#uploads.get(key) !== running) return;
      this.#forget(key);
      this.#update(key, { blobId, type, size, sent: null }, true);
    } catch (error) {
      if (this.#uploads.get(key) !== running) return;
      this.#uploads.delete(key);
      if (error instanceof DOMException && error.name === "AbortError") return;
      this.#update(key, { problem: words(error), sent: null });
    }
  }

  #update(key: number, patch: Partial<AttachedFile>, isEdit = false): void {
    this.list = this.list.map((file) => file.key === key ? { ...file, ...patch } : file);
    this.changed(isEdit);
  }

  #forget(key: number): void {
    this.#uploads.delete(key);
    this.#sources.delete(key);
    this.#origins.delete(key);
  }
}
