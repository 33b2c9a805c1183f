import type { Batch } from "../jmap/client.ts";
import { words } from "../jmap/errors.ts";
import type { Email, EmailHeader, Id, Thread } from "../jmap/types.ts";
import type { EmailView } from "../jmap/vendor.ts";
import type { App } from "./app.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import { Observable } from "../base/observable.ts";
import type { Status } from "./records.ts";
import { isUnread } from "./target.ts";

const BODY_PROPERTIES = [
  ...HEADER_PROPERTIES,
  "blobId",
  "size",
  "cc",
  "bcc",
  "replyTo",
  "sender",
  "header:List-Id:asText",
  "header:From:asAddresses:all",
  "sentAt",
  "attachments",
];
/** So many of the newest emails are listed at first, */
const LISTED = 50;
/** and so many more when older ones are asked for. */
export const PART = 100;
/** Of a text so many bytes are shown at first: more would keep the browser busy for seconds. */
const MOST_TEXT = 500_000;
/** No more than so many are opened by themselves, and so many are made safe in one call. */
const MOST_OPEN = 10;

/** Images that have not come are asked for again after so many milliseconds, */
const IMAGE_PAUSE = 2000;
/** and so often. The program gives up on a server before that. */
const IMAGE_TRIES = 20;

/** A message that is open: all of it, as it may be shown. */
export interface OpenMessage {
  email: Email;
  /** Null where the program has no reader. */
  view: EmailView | null;
}

/** One conversation on the screen. */
export class Conversation extends Observable {
  status: Status = "empty";
  problem: string | null = null;
  /** Oldest first. */
  ids: Id[] = [];
  /** Messages that are unfolded; those that are not in `messages` are being loaded. */
  readonly open = new Set<Id>();
  readonly messages = new Map<Id, OpenMessage>();
  readonly problems = new Map<Id, string>();
  readonly #remote = new Set<Id>();
  /** Messages of which all text is shown that can be. */
  readonly #long = new Set<Id>();
  #listed = LISTED;
  #isFirst = true;

  constructor(private readonly app: App, readonly accountId: Id, readonly threadId: Id) {
    super();
    this.ids = app.emails.thread(accountId, threadId) ?? [];
  }

  /** The listed emails: the first, which gives the subject, and the newest. */
  get #listedIds(): Id[] {
    const from = Math.max(0, this.ids.length - this.#listed);
    return from > 1 ? [...this.ids.slice(0, 1), ...this.ids.slice(from)] : this.ids;
  }

  /** So many between the first and the newest are not listed. */
  get olderCount(): number {
    return this.ids.length - this.#listedIds.length;
  }

  /** The listed emails, as far as they are known. */
  get emails(): EmailHeader[] {
    return this.#listedIds.map((id) => this.app.emails.get(this.accountId, id)).filter((email) =>
      email !== undefined
    );
  }

  async load(): Promise<void> {
    const { app, accountId, threadId } = this;
    if (this.status === "empty" || this.status === "failed") this.status = "loading";
    try {
      // What the list knows already is opened while the rest is asked for.
      if (this.#isFirst && this.emails.length > 0 && this.emails.length === this.#listedIds.length) {
        this.#openFirst();
      }
      const askedAt = app.emails.epoch;
      const { list } = await app.client.call<{ list: Thread[] }>("Thread/get", {
        accountId,
        ids: [threadId],
      });
      this.ids = list[0]?.emailIds ?? [];
      const ids = this.#listedIds;
      for (let at = 0; at === 0 || at < ids.length; at += PART) {
        const part = await app.client.call<{ list: EmailHeader[] }>("Email/get", {
          accountId,
          ids: ids.slice(at, at + PART),
          properties: HEADER_PROPERTIES,
        });
        app.emails.put(accountId, part.list, at === 0 ? list : [], askedAt);
      }
      this.status = "ready";
      this.problem = null;
      if (this.#isFirst) this.#openFirst();
    } catch (error) {
      if (this.messages.size === 0) this.status = "failed";
      this.problem = words(error);
    }
    this.changed();
  }

  toggle(id: Id): void {
    if (this.open.delete(id)) this.changed();
    else this.#open([id]);
  }

  openAll(): void {
    this.#open(this.#listedIds);
  }

  /** Lists more of the older messages. */
  async showOlder(): Promise<void> {
    this.#listed += PART;
    await this.load();
  }

  /** Shows more of the text of a long message. */
  async showMore(id: Id): Promise<void> {
    this.#long.add(id);
    await this.#read([id]);
  }

  /** Whether there may be more of a text than is shown. */
  hasMore(id: Id): boolean {
    return !this.#long.has(id);
  }

  /** Shows the images of other servers in one message. */
  async loadRemote(id: Id): Promise<void> {
    this.#remote.add(id);
    await this.#read([id]);
  }

  /** Reloads the shown messages, for example after their sender was trusted. */
  async reread(): Promise<void> {
    await this.#read([...this.open]);
  }

  #openFirst(): void {
    const { emails } = this;
    if (emails.length === 0) return;
    this.#isFirst = false;
    // From where the person has read to.
    const unread = emails.filter(isUnread).slice(0, MOST_OPEN).map((email) => email.id);
    const newest = emails.at(-1);
    this.#open(unread.length > 0 ? unread : newest ? [newest.id] : []);
  }

  #open(ids: Id[]): void {
    const fresh = ids.filter((id) => !this.open.has(id));
    for (const id of fresh) this.open.add(id);
    const missing = fresh.filter((id) => !this.messages.has(id));
    for (let at = 0; at < missing.length; at += MOST_OPEN) this.#read(missing.slice(at, at + MOST_OPEN));
    this.#markRead(fresh);
    this.changed();
  }

  #markRead(ids: Id[]): void {
    const emails = this.emails.filter((email) => ids.includes(email.id) && isUnread(email));
    if (emails.length > 0) this.app.actions.see(this.accountId, emails);
  }

  async #read(ids: Id[]): Promise<void> {
    if (ids.length === 0) return;
    const { app, accountId } = this;
    try {
      const batch = app.client.batch();
      const emails = batch.add<{ list: Email[] }>("Email/get", {
        accountId,
        ids,
        properties: BODY_PROPERTIES,
      });
      const answers = this.#addViews(batch, ids);
      await batch.send();
      const shown = (await Promise.all(answers)).flatMap((answer) => answer.list);
      for (const email of (await emails.answer).list) {
        this.messages.set(email.id, { email, view: shown.find((view) => view.id === email.id) ?? null });
        this.problems.delete(email.id);
      }
      this.#awaitImages(ids, IMAGE_TRIES);
    } catch (error) {
      for (const id of ids) this.problems.set(id, words(error));
    }
    this.changed();
  }

  /** Shows images as they come, in the messages that are open. */
  #awaitImages(ids: Id[], tries: number): void {
    const waiting = ids.filter((id) => this.#pendingImages(id) > 0);
    if (waiting.length === 0 || tries === 0) return;
    setTimeout(async () => {
      const open = waiting.filter((id) => this.open.has(id) && this.isShown);
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
      this.changed();
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

  /** Retries a message that could not be read. */
  retry(id: Id): void {
    this.problems.delete(id);
    this.changed();
    this.#read([id]);
  }
}
