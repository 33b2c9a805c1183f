import { type Upload, upload } from "../../jmap/blobs.ts";
import type { DraftAttachment } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";
import type { Id } from "../../jmap/types.ts";
import { inOrder } from "../../store/words.ts";

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
}

interface Owner {
  readonly accountId: Id;
  readonly app: { client: { call<T>(name: string, values: Record<string, unknown>): Promise<T> } };
}

let lastKey = 0;

/** The files of a message. */
export class Files {
  list: AttachedFile[] = [];
  readonly #uploads = new Map<number, Upload>();
  readonly #sources = new Map<number, File>();

  /** `changed` receives whether the draft has changed, or only the progress of a file. */
  constructor(private readonly owner: Owner, private readonly changed: (isEdit: boolean) => void) {}

  /** Files are still on their way, or could not be taken. */
  get isBusy(): boolean {
    return this.list.some((file) => file.blobId === null);
  }

  get size(): number {
    return this.list.reduce((sum, file) => sum + file.size, 0);
  }

  /** As a draft keeps them. One without its problem is tried again. */
  get kept(): { blobId: Id; name: string; type: string; size: number; problem?: string }[] {
    return this.list.flatMap(({ blobId, name, type, size, problem }) =>
      blobId ? [{ blobId, name, type, size, ...(problem ? { problem } : {}) }] : []
    );
  }

  show(attachments: DraftAttachment[]): void {
    this.list = attachments.map((attachment) => ({
      ...attachment,
      name: inOrder(attachment.name ?? "") || "Attachment",
      key: ++lastKey,
      sent: null,
    }));
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
    for (const file of files) {
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
      }];
      this.#sources.set(key, file);
      this.#send(key, file);
    }
    this.changed(false);
  }

  remove(key: number): void {
    this.#uploads.get(key)?.cancel();
    this.#forget(key);
    const isKept = this.list.some((file) => file.key === key && file.blobId !== null);
    this.list = this.list.filter((file) => file.key !== key);
    this.changed(isKept);
  }

  retry(key: number): void {
    const source = this.#sources.get(key);
    if (source) this.#send(key, source);
    this.#update(key, { problem: null, sent: source ? 0 : null }, source === undefined);
  }

  cancel(): void {
    for (const running of this.#uploads.values()) running.cancel();
    this.#uploads.clear();
  }

  /** Takes the files along to another account. */
  async moveTo(accountId: Id): Promise<void> {
    const blobIds = this.list.flatMap((file) => file.blobId ?? []);
    if (blobIds.length === 0) return;
    const { copied } = await this.owner.app.client.call<{ copied: Record<Id, Id> | null }>("Blob/copy", {
      fromAccountId: this.owner.accountId,
      accountId,
      blobIds,
    });
    this.list = this.list.map((file) => ({
      ...file,
      blobId: file.blobId ? copied?.[file.blobId] ?? file.blobId : null,
    }));
  }

  async #send(key: number, source: File): Promise<void> {
    const running = upload(this.owner.accountId, source, (sent) => this.#update(key, { sent }));
    this.#uploads.set(key, running);
    try {
      const { blobId, type, size } = await running.done;
      this.#forget(key);
      this.#update(key, { blobId, type, size, sent: null }, true);
    } catch (error) {
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
  }
}
