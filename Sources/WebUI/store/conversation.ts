import { words } from "../jmap/errors.ts";
import type { EmailHeader, Id, Thread } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { Bodies, type OpenMessage } from "./bodies.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import { type Gap, Listing, PART } from "./listing.ts";
import { Observable } from "../base/observable.ts";
import type { Status } from "./records.ts";
import { isUnread } from "./target.ts";

/** No more than so many are opened by themselves, and so many are made safe in one call. */
const MOST_OPEN = 10;
/** The keywords of so many emails are asked for at once. */
const MOST_LOOKED_AT = 1000;

/** One conversation on the screen. */
export class Conversation extends Observable {
  status: Status = "empty";
  problem: string | null = null;
  /** Messages that are unfolded; those that are not in `messages` are being loaded. */
  readonly open = new Set<Id>();
  /** Where reading begins: the message that a link is about, else the first that is unread. */
  first: Id | null = null;
  /** Whether messages keep their colors where the page is dark. */
  isOriginal = false;
  readonly bodies: Bodies;
  readonly #listing = new Listing();
  readonly #wanted: Id | null;
  readonly #isRead: boolean;
  #isFirst = true;
  #loading: Promise<void> | null = null;
  /** Something changed while it was being loaded. */
  #again = false;

  /**
   * - Parameters:
   *   - wanted: the message that a link is about.
   *   - isRead: whether the user reads what is opened, so that it is marked as read.
   */
  constructor(
    private readonly app: App,
    readonly accountId: Id,
    readonly threadId: Id,
    { wanted = null, isRead = true }: { wanted?: Id | null; isRead?: boolean } = {},
  ) {
    super();
    this.bodies = new Bodies(app, accountId, {
      changed: () => this.changed(),
      isWanted: (id) => this.open.has(id) && this.isShown,
    });
    this.#wanted = wanted;
    this.#isRead = isRead;
    this.#listing.set(app.emails.thread(accountId, threadId) ?? []);
  }

  /** Oldest first. */
  get ids(): Id[] {
    return this.#listing.ids;
  }

  /** Messages that are not listed, each gap by the message before it. */
  get gaps(): Map<Id, Gap> {
    return this.#listing.gaps;
  }

  get messages(): Map<Id, OpenMessage> {
    return this.bodies.messages;
  }

  get problems(): Map<Id, string> {
    return this.bodies.problems;
  }

  /** The listed emails, as far as they are known. */
  get emails(): EmailHeader[] {
    return this.#listing.listed.map((id) => this.app.emails.get(this.accountId, id)).filter((email) =>
      email !== undefined
    );
  }

  /** One at a time: however much changes meanwhile, it is loaded once more. */
  load(): Promise<void> {
    this.#again = this.#loading !== null;
    this.#loading ??= this.#loadAll();
    return this.#loading;
  }

  async #loadAll(): Promise<void> {
    do {
      this.#again = false;
      await this.#loadOnce();
    } while (this.#again);
    this.#loading = null;
  }

  async #loadOnce(): Promise<void> {
    const { app, accountId, threadId } = this;
    if (this.status === "empty" || this.status === "failed") this.status = "loading";
    try {
      // What the list knows already is opened while the rest is asked for.
      if (this.#isFirst && this.#isKnown) this.#openFirst(this.emails.filter(isUnread));
      const askedAt = app.emails.epoch;
      const { list } = await app.client.call<{ list: Thread[] }>("Thread/get", {
        accountId,
        ids: [threadId],
      });
      this.#listing.set(list[0]?.emailIds ?? []);
      const unread = this.#isFirst && this.gaps.size > 0 ? await this.#lookForUnread() : null;
      await this.#loadListed(list, askedAt);
      this.status = "ready";
      this.problem = null;
      if (this.#isFirst) this.#openFirst(unread ?? this.emails.filter(isUnread));
    } catch (error) {
      if (this.messages.size === 0) this.status = "failed";
      this.problem = words(error);
    }
    this.changed();
  }

  /** Whether the list has told all of it. */
  get #isKnown(): boolean {
    const { emails, ids } = this;
    return emails.length > 0 && emails.length === ids.length;
  }

  async #loadListed(threads: Thread[], askedAt: number): Promise<void> {
    const { app, accountId } = this;
    const ids = this.#listing.listed;
    for (let at = 0; at === 0 || at < ids.length; at += PART) {
      const part = await app.client.call<{ list: EmailHeader[] }>("Email/get", {
        accountId,
        ids: ids.slice(at, at + PART),
        properties: HEADER_PROPERTIES,
      });
      app.emails.put(accountId, part.list, at === 0 ? threads : [], askedAt);
    }
  }

  /** The unread emails of a long conversation, most of which are not listed. The first of them is listed then. */
  async #lookForUnread(): Promise<Pick<EmailHeader, "id" | "keywords">[]> {
    const unread: Pick<EmailHeader, "id" | "keywords">[] = [];
    for (let at = 0; at < this.ids.length; at += MOST_LOOKED_AT) {
      const ids = this.ids.slice(at, at + MOST_LOOKED_AT);
      const { list } = await this.app.client.call<{ list: EmailHeader[] }>("Email/get", {
        accountId: this.accountId,
        ids,
        properties: ["id", "keywords"],
      });
      const keywords = new Map(list.map((email) => [email.id, email.keywords]));
      for (const id of ids) {
        const email = { id, keywords: keywords.get(id) ?? { $seen: true as const } };
        if (isUnread(email)) unread.push(email);
      }
    }
    const first = this.#wanted ?? unread[0]?.id;
    if (first !== undefined) this.#listing.showFrom(first);
    return unread;
  }

  toggle(id: Id): void {
    if (this.open.delete(id)) this.changed();
    else this.#open([id]);
  }

  toggleColors(): void {
    this.isOriginal = !this.isOriginal;
    this.changed();
  }

  openAll(): void {
    this.#open(this.#listing.listed);
  }

  /** Lists more of the messages in a gap. */
  async show(gap: Gap): Promise<void> {
    this.#listing.fill(gap);
    await this.load();
  }

  /** Reloads the shown messages, for example after their sender was trusted. */
  async reread(): Promise<void> {
    await this.bodies.read([...this.open]);
  }

  /** Opens the conversation where the user has read to, and marks all of it as read. */
  #openFirst(unread: Pick<EmailHeader, "id">[]): void {
    const listed = this.#listing.listed;
    if (listed.length === 0) return;
    this.#isFirst = false;
    const isListed = new Set(listed);
    const some = unread.map(({ id }) => id).filter((id) => isListed.has(id)).slice(0, MOST_OPEN);
    const newest = this.emails.at(-1);
    const opened = some.length > 0 ? some : newest ? [newest.id] : [];
    const wanted = this.#wanted !== null && isListed.has(this.#wanted) ? [this.#wanted] : [];
    this.first = wanted[0] ?? opened[0] ?? null;
    this.#markRead(unread.map(({ id }) => id));
    this.#open([...new Set([...wanted, ...opened])]);
  }

  #open(ids: Id[]): void {
    const fresh = ids.filter((id) => !this.open.has(id));
    for (const id of fresh) this.open.add(id);
    const missing = fresh.filter((id) => !this.messages.has(id));
    this.bodies.show(missing);
    for (let at = 0; at < missing.length; at += MOST_OPEN) {
      this.bodies.read(missing.slice(at, at + MOST_OPEN));
    }
    this.#markRead(
      this.emails.filter((email) => fresh.includes(email.id) && isUnread(email)).map(({ id }) => id),
    );
    this.changed();
  }

  #markRead(ids: Id[]): void {
    if (ids.length > 0 && this.#isRead) this.app.actions.see(this.accountId, ids);
  }

  /** Retries a message that could not be read. */
  retry(id: Id): void {
    this.problems.delete(id);
    this.changed();
    this.bodies.read([id]);
  }
}
