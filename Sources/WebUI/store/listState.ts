import type { Parts } from "./parts.ts";
import type { Target } from "./target.ts";
import { Observable } from "../base/observable.ts";
import { Row, rowKey } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { targetOf } from "./shown.ts";
import { ThreadList } from "./threadList.ts";

/** The state of a list on the screen: its rows, cursor and selection. */
export class ListState extends Observable {
  readonly list: ThreadList;
  cursor: string | null = null;
  selected = new Set<string>();
  /** Set if all conversations of the list are selected, also those that are not loaded. */
  all: Scope | null = null;
  /** Where the list was left. */
  scrollTop = 0;
  /** Whether the cursor was moved by a key, so that the list has to follow it. */
  movedByKey = false;
  /** Since when mail of it is on the screen. */
  seenAt = Infinity;
  /** Where a range begins that is selected with Shift. */
  #anchor: string | null = null;
  /** Stays where it was when the row under it goes. */
  #cursorIndex = 0;

  constructor(private readonly app: Parts, readonly scope: Scope) {
    super();
    this.list = new ThreadList(app.client, app.emails, scope.sources);
    this.list.onRemove = (keys) => this.#deselect(keys);
  }

  get cursorIndex(): number {
    const index = this.cursor === null ? -1 : this.list.indexOf(this.cursor);
    return index >= 0 ? index : Math.min(this.#cursorIndex, this.list.total - 1);
  }

  setCursor(row: Row | null): void {
    this.cursor = row ? rowKey(row) : null;
    if (row) this.#cursorIndex = Math.max(0, this.list.indexOf(rowKey(row)));
    this.changed();
  }

  /** Moves the cursor; returns the row it stands on then. */
  move(by: number): Row | undefined {
    const start = this.cursor === null ? (by > 0 ? -1 : 0) : this.cursorIndex;
    const index = Math.max(0, Math.min(this.list.total - 1, start + by));
    const row = this.list.row(index);
    this.movedByKey = true;
    if (row) this.setCursor(row);
    else if (this.list.total > 0) this.#reach(index);
    return row;
  }

  /** The cursor goes to a row that is not loaded once it is, unless it was moved meanwhile. */
  #reach(index: number): void {
    const before = this.cursor;
    const stop = this.list.subscribe(() => {
      const row = this.list.row(index);
      if (!row && this.cursor === before) return;
      stop();
      if (!row || this.cursor !== before) return;
      this.movedByKey = true;
      this.setCursor(row);
    });
    this.list.want(index, index + 1);
  }

  toggle(row: Row): void {
    const key = rowKey(row);
    this.all = null;
    this.selected = new Set(this.selected);
    if (!this.selected.delete(key)) this.selected.add(key);
    this.#anchor = key;
    this.setCursor(row);
  }

  /** All from where the last was selected up to this one. */
  extendTo(row: Row): void {
    this.all = null;
    const from = this.list.indexOf(this.#anchor ?? this.cursor ?? rowKey(row));
    const to = this.list.indexOf(rowKey(row));
    this.selected = new Set(this.selected);
    for (let index = Math.min(from, to); index <= Math.max(from, to); index += 1) {
      const between = this.list.row(index);
      if (between) this.selected.add(rowKey(between));
    }
    this.setCursor(row);
  }

  selectKnown(): void {
    this.selected = new Set(this.list.known().map(rowKey));
    this.changed();
  }

  selectAll(): void {
    this.all = this.scope;
    this.selectKnown();
  }

  clear(): void {
    if (this.selected.size === 0) return;
    this.all = null;
    this.selected = new Set();
    this.changed();
  }

  #deselect(keys: Set<string>): void {
    if (this.selected.size === 0) return;
    this.selected = new Set([...this.selected].filter((key) => !keys.has(key)));
    if (this.selected.size === 0) this.all = null;
    this.changed();
  }

  /** What an action is for, with the rest of the list if that is selected as well. */
  chosen(): { targets: Target[]; all: Scope | null } {
    return { targets: this.targets(), all: this.all };
  }

  /** What an action is for: all that is selected, else the row under the cursor. */
  targets(): Target[] {
    const rows = this.selected.size > 0
      ? this.list.known().filter((row) => this.selected.has(rowKey(row)))
      : [this.cursorRow()].filter((row) => row !== undefined);
    return rows.map((row) => this.target(row));
  }

  cursorRow(): Row | undefined {
    return this.cursor === null ? undefined : this.list.row(this.list.indexOf(this.cursor));
  }

  /** An open conversation, which may be in no row. */
  open(key: string): Target {
    const [accountId = "", threadId = ""] = key.split("/");
    return this.target(this.list.row(this.list.indexOf(key)) ?? { accountId, threadId, emailId: "" });
  }

  target(row: Omit<Row, "receivedAt">): Target {
    return targetOf(this.app, this.scope, row);
  }
}
