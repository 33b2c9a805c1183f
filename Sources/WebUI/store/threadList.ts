import type { JMAPClient } from "../jmap/client.ts";
import { words } from "../jmap/errors.ts";
import type { Emails } from "./emails.ts";
import { Observable } from "../base/observable.ts";
import type { Status } from "./records.ts";
import { loadDetails, loadOrder, loadPage, Row, rowKey, Source } from "./rows.ts";

export const PAGE = 25;
/** The number of rows loaded ahead while scrolling: responses take a moment, and a flick passes many rows. */
const AHEAD = 4 * PAGE;
/** How many at once where only their order matters. */
const ORDER_PAGE = 500;
/** The number of times that the visible rows may change during a request. */
const MOST_TRIES = 4;

/**
 * A list of threads, newest first, of which only stretches are known.
 *
 * Of one account any stretch can be asked for. Several accounts are merged by date from the top, so what lies
 * far down takes longer there.
 */
export class ThreadList extends Observable {
  status: Status = "empty";
  problem: string | null = null;
  total = 0;
  /**
   * The number of rows by which the visible ones have moved at the last refresh, so that the scroller can
   * follow.
   */
  onShift: (rows: number) => void = () => {};
  /** Called with rows removed by an action. */
  onRemove: (keys: Set<string>) => void = () => {};
  #rows: (Row | undefined)[] = [];
  #visible = { from: 0, to: PAGE };
  /** Pages that are waiting for their turn or their answer. */
  readonly #asked = new Set<number>();
  #generation = 0;
  #work: Promise<void> = Promise.resolve();
  #isRefreshing = false;
  #again = false;
  /** The known rows of each source, in order, if several are merged. */
  #feeds: { rows: Row[]; total: number }[] = [];

  constructor(
    private readonly client: JMAPClient,
    private readonly emails: Emails,
    readonly sources: Source[],
  ) {
    super();
  }

  row(index: number): Row | undefined {
    return this.#rows[index];
  }

  indexOf(key: string): number {
    return this.#rows.findIndex((row) => row !== undefined && rowKey(row) === key);
  }

  /** All rows that are known, in their order. */
  known(): Row[] {
    return this.#rows.filter((row) => row !== undefined);
  }

  /** Sees to it that these rows, and those before and after them, are known. */
  want(from: number, to: number): void {
    // Scrolling down usually continues.
    const ahead = from > this.#visible.from ? AHEAD : PAGE;
    this.#visible = { from, to };
    const first = Math.max(0, Math.floor((from - PAGE) / PAGE));
    const last = this.status === "ready" ? Math.floor(Math.min(this.total - 1, to + ahead) / PAGE) : first;
    if (this.sources.length > 1) {
      this.#then(() => this.#extend((last + 1) * PAGE));
      return;
    }
    for (let page = first; page <= last; page += 1) {
      if (this.#asked.has(page) || this.#isKnown(page)) continue;
      this.#asked.add(page);
      this.#then(() => this.#load(page));
    }
  }

  /** Takes rows out before the program has confirmed it. */
  remove(keys: Set<string>): void {
    const before = this.#rows.length;
    const kept: (Row | undefined)[] = [];
    let removed = 0;
    for (let index = 0; index < before; index += 1) {
      const row = this.#rows[index];
      if (row && keys.has(rowKey(row))) removed += 1;
      else kept[index - removed] = row;
    }
    if (removed === 0) return;
    this.onRemove(keys);
    kept.length = Math.max(0, before - removed);
    this.#rows = kept;
    this.total = Math.max(0, this.total - removed);
    // The pages have shifted, so unknown ones are requested again.
    this.#asked.clear();
    this.#generation += 1;
    for (const feed of this.#feeds) {
      const left = feed.rows.filter((row) => !keys.has(rowKey(row)));
      feed.total -= feed.rows.length - left.length;
      feed.rows = left;
    }
    this.changed();
    this.want(this.#visible.from, this.#visible.to);
  }

  /** Refreshes the visible rows without moving them. */
  async refresh(): Promise<void> {
    if (this.#isRefreshing) {
      this.#again = true;
      return;
    }
    this.#isRefreshing = true;
    let tries = 0;
    do {
      this.#again = false;
      tries += 1;
      await this.#refreshOnce(tries < MOST_TRIES);
    } while (this.#again);
    this.#isRefreshing = false;
  }

  /** One piece of work after the other, so that no answer overtakes a newer one. */
  #then(work: () => Promise<void>): void {
    if (this.status === "empty" || this.status === "failed") {
      this.status = "loading";
      this.changed();
    }
    this.#work = this.#work.then(work).catch((error) => {
      this.problem = words(error);
      if (this.#rows.length === 0) this.status = "failed";
      this.#asked.clear();
      this.changed();
    });
  }

  #isKnown(page: number): boolean {
    if (this.status !== "ready") return false;
    return this.#covers(this.#rows, page * PAGE, Math.min(this.total, (page + 1) * PAGE));
  }

  /** Whether each of these rows can be shown: its email may have gone since the order was read. */
  #covers(rows: (Row | undefined)[], from: number, to: number): boolean {
    for (let index = from; index < to; index += 1) {
      const row = rows[index];
      if (!row || !this.emails.get(row.accountId, row.emailId)) return false;
    }
    return true;
  }

  async #load(page: number): Promise<void> {
    const source = this.sources[0];
    const { from, to } = this.#visible;
    const generation = this.#generation;
    // Who scrolls fast has passed most pages before their turn comes.
    const isPassed = (page + 1) * PAGE < from - PAGE || page * PAGE > to + AHEAD;
    if (!source || isPassed || !this.#asked.has(page)) {
      this.#asked.delete(page);
      return;
    }
    const { position, total, rows } = await loadPage(this.client, this.emails, source, page * PAGE, PAGE);
    // A newer generation has already requested this again.
    if (generation !== this.#generation) return;
    this.#asked.delete(page);
    rows.forEach((row, index) => this.#rows[position + index] = row);
    this.#ready(total);
  }

  async #refreshOnce(isStrict: boolean): Promise<void> {
    const { from, to } = this.#visible;
    const generation = ++this.#generation;
    const epoch = this.emails.epoch;
    const before = this.#rows;
    let rows: (Row | undefined)[] = [];
    let total = 0;
    try {
      if (this.sources.length > 1) {
        const known = Math.max(this.known().length, PAGE);
        this.#feeds = await Promise.all(this.sources.map((source) => this.#feed(source, known)));
        rows = merged(this.#feeds).slice(0, Math.max(known, to + PAGE));
        total = this.#feeds.reduce((sum, feed) => sum + feed.total, 0);
        await loadDetails(this.client, this.emails, rows.slice(from, to + PAGE).filter((row) => !!row));
      } else if (this.sources[0]) {
        const first = Math.max(0, from - 2 * PAGE);
        const limit = to - first + 2 * PAGE;
        const page = await loadPage(this.client, this.emails, this.sources[0], first, limit);
        page.rows.forEach((row, index) => rows[page.position + index] = row);
        total = page.total;
      }
    } catch (error) {
      this.problem = words(error);
      if (this.#rows.length === 0) this.status = "failed";
      this.#asked.clear();
      this.changed();
      return;
    }
    // A change was confirmed, a row removed or the list scrolled in the meantime: this response is outdated.
    const isOld = epoch !== this.emails.epoch || generation !== this.#generation;
    if (isOld || isStrict && !this.#covers(rows, this.#visible.from, Math.min(this.#visible.to, total))) {
      this.#again = true;
      return;
    }
    this.#rows = rows;
    this.#asked.clear();
    const shift = shiftOf(before, rows, from, to);
    this.#visible = { from: Math.max(0, from + shift), to: to + shift };
    if (shift !== 0) this.onShift(shift);
    this.#ready(total);
    this.want(this.#visible.from, this.#visible.to);
  }

  /** Merges until so many rows are known. */
  async #extend(wanted: number): Promise<void> {
    if (this.#feeds.length === 0) {
      this.#feeds = await Promise.all(this.sources.map((source) => this.#feed(source, 2 * PAGE)));
    }
    const generation = this.#generation;
    for (;;) {
      this.#rows = merged(this.#feeds);
      const total = this.#feeds.reduce((sum, feed) => sum + feed.total, 0);
      if (this.#rows.length >= Math.min(wanted, total)) {
        await this.#fillIn(generation);
        this.#ready(total);
        return;
      }
      await Promise.all(this.#feeds.map(async (feed, index) => {
        const source = this.sources[index];
        if (!source || feed.rows.length >= feed.total) return;
        const page = await loadOrder(this.client, source, feed.rows.length, ORDER_PAGE);
        feed.rows = [...feed.rows, ...page.rows];
        // There are no more rows, whatever the total says; without this, requests would never end.
        feed.total = page.rows.length === 0 ? feed.rows.length : page.total;
      }));
      if (generation !== this.#generation) return;
    }
  }

  async #fillIn(generation: number): Promise<void> {
    const { from, to } = this.#visible;
    const missing = this.#rows.slice(Math.max(0, from - PAGE), to + PAGE)
      .filter((row) => row !== undefined && !this.emails.get(row.accountId, row.emailId)) as Row[];
    if (missing.length > 0 && generation === this.#generation) {
      await loadDetails(this.client, this.emails, missing);
    }
  }

  async #feed(source: Source, count: number): Promise<{ rows: Row[]; total: number }> {
    const feed = { rows: [] as Row[], total: 0 };
    do {
      const page = await loadOrder(
        this.client,
        source,
        feed.rows.length,
        Math.min(ORDER_PAGE, count - feed.rows.length),
      );
      feed.total = page.rows.length === 0 ? feed.rows.length : page.total;
      feed.rows.push(...page.rows);
    } while (feed.rows.length < Math.min(count, feed.total));
    return feed;
  }

  #ready(total: number): void {
    this.total = total;
    this.#rows.length = Math.min(this.#rows.length, total);
    this.status = "ready";
    this.problem = null;
    this.changed();
  }
}

/** Rows of several lists in one order, as far as it is certain: until the first list that has more. */
export function merged(feeds: { rows: Row[]; total: number }[]): Row[] {
  const at = feeds.map(() => 0);
  const result: Row[] = [];
  for (;;) {
    let best = -1;
    for (let index = 0; index < feeds.length; index += 1) {
      const feed = feeds[index];
      const row = feed?.rows[at[index] ?? 0];
      if (!row) {
        if (feed && feed.rows.length < feed.total) return result;
        continue;
      }
      const other = best < 0 ? undefined : feeds[best]?.rows[at[best] ?? 0];
      if (!other || row.receivedAt > other.receivedAt) best = index;
    }
    const row = best < 0 ? undefined : feeds[best]?.rows[at[best] ?? 0];
    if (!row) return result;
    result.push(row);
    at[best] = (at[best] ?? 0) + 1;
  }
}

/** How far the first visible row that is still there has moved. At the very top new mail may push in. */
export function shiftOf(
  before: (Row | undefined)[],
  after: (Row | undefined)[],
  from: number,
  to: number,
): number {
  if (from === 0) return 0;
  const places = new Map<string, number>();
  after.forEach((row, index) => row && places.set(rowKey(row), index));
  for (let index = from; index < to; index += 1) {
    const row = before[index];
    const place = row ? places.get(rowKey(row)) : undefined;
    // A thread with a new email moves to the top; the scroll position should not follow it.
    if (place !== undefined && after[place]?.receivedAt === row?.receivedAt) return place - index;
  }
  return 0;
}
