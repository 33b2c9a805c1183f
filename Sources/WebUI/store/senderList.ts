import { Observable } from "../base/observable.ts";
import { words } from "../jmap/errors.ts";
import type { Sender, SenderSort, Unsubscription } from "../jmap/senders.ts";
import type { Id } from "../jmap/types.ts";
import { isBusy, recorded } from "./actionLog.ts";
import type { App } from "./app.ts";
import { unsubscriptions } from "./unsubscribing.ts";

const PAGE = 50;
/** So many can be read at once. */
const MOST = 500;
const MOST_LISTS = 100;
/** What changes within this time is counted once. */
const CALM = 1000;

export interface SenderOrder {
  sort: SenderSort;
  isAscending: boolean;
}

/** Everyone who has sent mail to an account, in parts. */
export class SenderList extends Observable {
  status: "loading" | "ready" | "failed" = "loading";
  problem: string | null = null;
  senders: Sender[] = [];
  /** All that match, loaded or not. */
  total = 0;
  text = "";
  order: SenderOrder = { sort: "recent", isAscending: false };
  /** How their newest messages can be left, by the ids of these. */
  readonly lists = new Map<Id, Unsubscription>();
  #turn = 0;

  constructor(private readonly app: App, readonly accountId: Id) {
    super();
  }

  /** Loads, and follows what changes. Returns what ends that. */
  follow(): () => void {
    this.load();
    let timer: number | undefined;
    const stop = this.app.onChange((accountId, changed) => {
      if (accountId !== this.accountId || !("Email" in changed || "Unsubscription" in changed)) return;
      clearTimeout(timer);
      timer = setTimeout(() => this.load(), CALM);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }

  show(text: string, order: SenderOrder): void {
    [this.text, this.order, this.senders] = [text, order, []];
    this.status = "loading";
    this.changed();
    this.load();
  }

  more(): Promise<void> {
    return this.load(this.senders.length + PAGE);
  }

  async load(count = Math.max(PAGE, this.senders.length)): Promise<void> {
    const turn = ++this.#turn;
    const { app, accountId, text } = this;
    try {
      const found: Sender[] = [];
      let total = 1;
      while (found.length < Math.min(count, total)) {
        const limit = Math.min(MOST, count - found.length);
        const values = { accountId, text, ...this.order, position: found.length, limit };
        const answer = await app.client.call<{ list: Sender[]; total: number }>("Sender/list", values);
        total = answer.total;
        found.push(...answer.list);
        if (answer.list.length === 0) break;
      }
      if (turn !== this.#turn) return;
      [this.senders, this.total, this.status] = [found, total, "ready"];
      this.changed();
      await this.#readLists(found.map(({ lastEmailId }) => lastEmailId));
    } catch (error) {
      if (turn !== this.#turn) return;
      [this.status, this.problem] = ["failed", words(error)];
    }
    this.changed();
  }

  async #readLists(ids: Id[]): Promise<void> {
    for (let at = 0; at < ids.length; at += MOST_LISTS) {
      for (const one of await unsubscriptions(this.app, this.accountId, ids.slice(at, at + MOST_LISTS))) {
        this.lists.set(one.id, one);
      }
    }
  }

  /** Archives what is in the inbox of a sender. */
  async archive({ email }: Sender): Promise<void> {
    const { app, accountId } = this;
    const inbox = app.account(accountId)?.mailboxes.list.find(({ role }) => role === "inbox");
    if (!inbox) return;
    const { log } = app.actions;
    const outcome = await log.perform(accountId, { verb: "archive", sender: email, inMailboxId: inbox.id });
    if ("problem" in outcome) return void app.toasts.problem(outcome.problem);
    const { record } = outcome;
    if (record.refused > 0) app.toasts.problem(record.refusal ?? "");
    if (record.changed === 0 && !isBusy(record)) {
      if (record.refused === 0) app.toasts.show("No message of this sender is in the inbox.");
      return;
    }
    const actions = recorded([outcome]);
    const undo = { label: "Undo", run: () => void app.actions.undo(actions) };
    const toast = app.toasts.show("Archiving…", { seconds: null, action: undo });
    try {
      const done = await log.untilDone(actions, () => {});
      app.toasts.update(toast, { text: log.summary("archive", done), seconds: 10 });
    } catch (error) {
      app.toasts.dismiss(toast);
      app.toasts.problem(words(error));
    }
  }
}
