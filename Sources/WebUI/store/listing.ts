import type { Id } from "../jmap/types.ts";

/** So many of the newest messages are listed at first, and so many from the first unread one on, */
export const LISTED = 50;
/** and so many more when they are asked for. */
export const PART = 100;

/** Messages that are not listed yet, between two that are. */
export interface Gap {
  ids: Id[];
  /** Whether they are the ones right after the first message, and so older than most that are listed. */
  isOld: boolean;
}

/**
 * Which messages of a conversation are listed: the first, which gives the subject, the newest, and those that were
 * asked for. A conversation of thousands would keep the browser busy for seconds.
 */
export class Listing {
  /** Oldest first. */
  ids: Id[] = [];
  readonly #shown = new Set<Id>();

  /** Takes what the program says. What is listed stays so, however many are new. */
  set(ids: Id[]): void {
    this.ids = ids;
    for (const id of [...ids.slice(0, 1), ...ids.slice(-LISTED)]) this.#shown.add(id);
  }

  /** Lists messages from one on. A single one before it is no gap worth a button. */
  showFrom(id: Id, count = LISTED): void {
    const at = this.ids.indexOf(id);
    if (at < 0) return;
    for (const one of this.ids.slice(at === 2 ? 1 : at, at + count)) this.#shown.add(one);
  }

  /** Lists more of a gap: what is next to the messages that a reader comes from. */
  fill({ ids, isOld }: Gap): void {
    for (const id of isOld ? ids.slice(-PART) : ids.slice(0, PART)) this.#shown.add(id);
  }

  get listed(): Id[] {
    return this.ids.filter((id) => this.#shown.has(id));
  }

  /** The gaps, each by the message before it. */
  get gaps(): Map<Id, Gap> {
    const gaps = new Map<Id, Gap>();
    let before: Id | undefined;
    for (const id of this.ids) {
      if (this.#shown.has(id)) before = id;
      else if (before !== undefined) {
        const gap = gaps.get(before);
        if (gap) gap.ids.push(id);
        else gaps.set(before, { ids: [id], isOld: before === this.ids[0] });
      }
    }
    return gaps;
  }
}
