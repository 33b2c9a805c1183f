import type { Batch } from "../jmap/client.ts";
import { words } from "../jmap/errors.ts";
import type { Email, Id } from "../jmap/types.ts";
import type { EmailView } from "../jmap/vendor.ts";
import type { App } from "./app.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import { isSameMessage, keptOf, type OpenMessage } from "./keptMessages.ts";

export type { OpenMessage };

const PROPERTIES = [
  ...HEADER_PROPERTIES,
  "blobId",
  "size",
  "bcc",
  "replyTo",
  "sender",
  "header:List-Id:asText",
  "header:List-Unsubscribe:asRaw",
  "header:Received:asRaw:all",
  "header:From:asAddresses:all",
  "sentAt",
  "attachments",
];
/** Of a text so many bytes are shown at first: more would keep the browser busy for seconds. */
const MOST_TEXT = 500_000;

/** Images that have not come are asked for again after so many milliseconds, */
const IMAGE_PAUSE = 2000;
/** and so often. The program gives up on a server before that. */
const IMAGE_TRIES = 20;

/** Where the messages are shown. */
interface Reader {
  changed: () => void;
  /** Whether a message is still on the screen. */
  isWanted: (id: Id) => boolean;
}

/** The messages of a conversation that were opened, as they may be shown. */
export class Bodies {
  readonly messages = new Map<Id, OpenMessage>();
  readonly problems = new Map<Id, string>();
  readonly #remote = new Set<Id>();
  /** Messages of which all text is shown that can be. */
  readonly #long = new Set<Id>();

  constructor(
    private readonly app: App,
    private readonly accountId: Id,
    private readonly reader: Reader,
  ) {}

  /** Shows more of the text of a long message. */
  async showMore(id: Id): Promise<void> {
    this.#long.add(id);
    await this.read([id]);
  }

  /** Whether there may be more of a text than is shown. */
  hasMore(id: Id): boolean {
    return !this.#long.has(id);
  }

  /** Shows the images of other servers in one message. */
  async loadRemote(id: Id): Promise<void> {
    this.#remote.add(id);
    await this.read([id]);
  }

  async read(ids: Id[]): Promise<void> {
    if (ids.length === 0) return;
    const { app, accountId } = this;
    try {
      const batch = app.client.batch();
      const emails = batch.add<{ list: Email[] }>("Email/get", { accountId, ids, properties: PROPERTIES });
      const answers = this.#addViews(batch, ids);
      await batch.send();
      const shown = (await Promise.all(answers)).flatMap((answer) => answer.list);
      for (const email of (await emails.answer).list) {
        this.#take({ email, view: shown.find((view) => view.id === email.id) ?? null });
      }
      this.#awaitImages(ids, IMAGE_TRIES);
    } catch (error) {
      for (const id of ids) this.problems.set(id, words(error));
    }
    this.reader.changed();
  }

  /** Shows messages as they were when they were read last, until they are read again. */
  show(ids: Id[]): void {
    for (const id of ids) {
      const kept = keptOf(this.app.client).get(this.accountId, id);
      if (kept) this.messages.set(id, kept);
    }
  }

  #take(message: OpenMessage): void {
    const { id } = message.email;
    if (!isSameMessage(this.messages.get(id), message)) this.messages.set(id, message);
    if (!this.#remote.has(id) && !this.#long.has(id)) keptOf(this.app.client).put(this.accountId, message);
    this.problems.delete(id);
  }

  /** Shows images as they come, in the messages that are open. */
  #awaitImages(ids: Id[], tries: number): void {
    const waiting = ids.filter((id) => this.#pendingImages(id) > 0);
    if (waiting.length === 0 || tries === 0) return;
    setTimeout(async () => {
      const open = waiting.filter((id) => this.reader.isWanted(id));
      await this.#readViews(open).catch(() => {});
      this.#awaitImages(open, tries - 1);
    }, IMAGE_PAUSE);
  }

  #pendingImages(id: Id): number {
    return this.messages.get(id)?.view?.pendingImageCount ?? 0;
  }

  async #readViews(ids: Id[]): Promise<void> {
    if (ids.length === 0) return;
    const batch = this.app.client.batch();
    const answers = this.#addViews(batch, ids);
    await batch.send();
    for (const view of (await Promise.all(answers)).flatMap(({ list }) => list)) {
      const message = this.messages.get(view.id);
      if (!message || view.pendingImageCount === this.#pendingImages(view.id)) continue;
      this.messages.set(view.id, { ...message, view });
      this.reader.changed();
    }
  }

  #addViews(batch: Batch, ids: Id[]): Promise<{ list: EmailView[] }>[] {
    return this.#kinds(ids).map(({ some, loadRemote, maxBodyValueBytes }) =>
      batch.add<{ list: EmailView[] }>("EmailView/get", {
        accountId: this.accountId,
        ids: some,
        loadRemote,
        maxBodyValueBytes,
      }).answer
    );
  }

  /** The messages by how they are to be shown. */
  #kinds(ids: Id[]): { some: Id[]; loadRemote: boolean; maxBodyValueBytes: number }[] {
    return [false, true].flatMap((loadRemote) =>
      [MOST_TEXT, 0].map((maxBodyValueBytes) => ({
        loadRemote,
        maxBodyValueBytes,
        some: ids.filter((id) =>
          this.#remote.has(id) === loadRemote && this.#long.has(id) === (maxBodyValueBytes === 0)
        ),
      }))
    ).filter(({ some }) => some.length > 0);
  }
}
