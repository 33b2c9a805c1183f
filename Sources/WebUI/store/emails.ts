import type { EmailHeader, Id } from "../jmap/types.ts";
import { Observable } from "../base/observable.ts";

/** The keywords that change in an email: `true` sets, `null` takes away. Its mailboxes are the program's to say. */
export interface Change {
  accountId: Id;
  id: Id;
  keywords: Record<string, true | null>;
}

export const HEADER_PROPERTIES = [
  "id",
  "threadId",
  "mailboxIds",
  "keywords",
  "from",
  "to",
  "cc",
  "subject",
  "preview",
  "receivedAt",
  "hasAttachment",
  "addressWarnings",
];

/** More than a person scrolls past in a minute; the oldest go first. */
const MOST = 6000;

/**
 * The recently used emails and threads.
 *
 * A change is applied on top of the program's data until the program has confirmed it. A response to a
 * request from before the confirmation is discarded, so that nothing flickers.
 */
export class Emails extends Observable {
  /** Increases with every confirmed change; requests remember it. */
  epoch = 0;
  readonly #saved = new Map<string, EmailHeader>();
  readonly #threads = new Map<string, Id[]>();
  readonly #overlays = new Map<string, Change[]>();
  readonly #merged = new Map<string, EmailHeader>();
  readonly #touched = new Map<string, number>();

  constructor(private readonly most = MOST) {
    super();
  }

  get(accountId: Id, id: Id): EmailHeader | undefined {
    const key = `${accountId}/${id}`;
    const merged = this.#merged.get(key);
    if (merged) return merged;
    const saved = this.#saved.get(key);
    const overlays = this.#overlays.get(key);
    if (!saved || !overlays) return saved;
    const email = overlays.reduce(patched, saved);
    this.#merged.set(key, email);
    return email;
  }

  /** The ids of a thread's emails, oldest first; undefined if it was not asked for yet. */
  thread(accountId: Id, threadId: Id): Id[] | undefined {
    return this.#threads.get(`${accountId}/${threadId}`);
  }

  /** The emails of a thread as far as they are known. */
  members(accountId: Id, threadId: Id): EmailHeader[] {
    const ids = this.thread(accountId, threadId) ?? [];
    return ids.map((id) => this.get(accountId, id)).filter((email) => email !== undefined);
  }

  put(accountId: Id, emails: EmailHeader[], threads: { id: Id; emailIds: Id[] }[], askedAt: number): void {
    for (const email of emails) {
      const key = `${accountId}/${email.id}`;
      if ((this.#touched.get(key) ?? 0) > askedAt) continue;
      this.#saved.delete(key); // so that it goes to the end, as the newest
      this.#saved.set(key, email);
      this.#merged.delete(key);
    }
    for (const thread of threads) this.#threads.set(`${accountId}/${thread.id}`, thread.emailIds);
    this.#trim();
    this.changed();
  }

  /** Shows changes immediately; `settle` reports their result. */
  lay(changes: Change[]): void {
    for (const change of changes) {
      const key = `${change.accountId}/${change.id}`;
      this.#overlays.set(key, [...this.#overlays.get(key) ?? [], change]);
      this.#merged.delete(key);
    }
    this.changed();
  }

  settle(changes: Change[], isRefused: (change: Change) => boolean): void {
    this.epoch += 1;
    for (const change of changes) {
      const key = `${change.accountId}/${change.id}`;
      const saved = this.#saved.get(key);
      if (saved && !isRefused(change)) this.#saved.set(key, patched(saved, change));
      const left = (this.#overlays.get(key) ?? []).filter((other) => other !== change);
      if (left.length > 0) this.#overlays.set(key, left);
      else this.#overlays.delete(key);
      this.#merged.delete(key);
      this.#touched.set(key, this.epoch);
    }
    this.changed();
  }

  #trim(): void {
    for (const key of this.#saved.keys()) {
      if (this.#saved.size <= this.most) break;
      this.#saved.delete(key);
      this.#merged.delete(key);
    }
    for (const key of this.#threads.keys()) {
      if (this.#threads.size <= this.most) break;
      this.#threads.delete(key);
    }
  }
}

function patched(email: EmailHeader, change: Change): EmailHeader {
  const keywords = { ...email.keywords };
  for (const [key, value] of Object.entries(change.keywords)) {
    if (value) keywords[key] = true;
    else delete keywords[key];
  }
  return { ...email, keywords };
}
