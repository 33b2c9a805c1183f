import { words } from "../jmap/errors.ts";
import type { Id } from "../jmap/types.ts";
import { type Change, type EmailRef, inverse } from "./emails.ts";
import type { Parts } from "./parts.ts";
import { inAccounts, pointers } from "./pointers.ts";
import { rowKey } from "./rows.ts";
import type { Target } from "./target.ts";
import type { ThreadList } from "./threadList.ts";

interface SetAnswer {
  notUpdated?: Record<Id, { type: string; description?: string }> | null;
}

/** Changes on their way to the program: they show at once, and are put back when it refuses them. */
export class Commits {
  /** The lists that are open: what an action takes away disappears from them. */
  readonly lists = new Set<ThreadList>();

  constructor(private readonly app: Parts) {}

  /** Takes conversations out of the open lists. */
  leave(targets: Target[]): void {
    const keys = new Set(targets.map(rowKey));
    for (const list of this.lists) list.remove(keys);
  }

  /** Makes the changes, and offers to undo them if they are reported. */
  keep(changes: Change[], told: string | null): void {
    if (changes.length === 0) return;
    const undo = this.#inverses(changes);
    const done = this.#commit(changes);
    if (told === null) return;
    const run = async () => {
      // What the program refused is put back already.
      const back = (await done).flatMap((change) => undo.get(change) ?? []);
      const undone = await this.#commit(back);
      if (back.length > 0 && undone.length === back.length) this.app.toasts.show("Undone", { seconds: 2 });
      this.#refreshLists();
    };
    const toast = this.app.toasts.show(told, { seconds: 5, action: { label: "Undo", run } });
    done.then((changes) => changes.length === 0 && this.app.toasts.dismiss(toast));
  }

  /** Deletes for good. Throws what the program says when it refuses. */
  async destroy(refs: EmailRef[]): Promise<void> {
    try {
      await inAccounts(refs, (accountId, own) => this.#set(accountId, { destroy: own.map(({ id }) => id) }));
    } finally {
      this.#refreshLists();
    }
  }

  #inverses(changes: Change[]): Map<Change, Change> {
    return new Map(changes.flatMap((change): [Change, Change][] => {
      const email = this.app.emails.get(change.accountId, change.id);
      return email ? [[change, { ...change, patch: inverse(email, change.patch) }]] : [];
    }));
  }

  /** Returns the changes that succeeded. */
  async #commit(changes: Change[]): Promise<Change[]> {
    this.app.emails.lay(changes);
    const refused = new Map<Change, string>();
    await inAccounts(changes, async (accountId, own) => {
      for (const [change, reason] of await this.#send(accountId, own)) refused.set(change, reason);
    });
    this.app.emails.settle(changes, (change) => refused.has(change));
    const [first] = refused.values();
    if (first === undefined) return changes;
    this.#refreshLists();
    const what = refused.size === changes.length ? "The change was" : "Some changes were";
    this.app.toasts.problem(`${what} undone: ${first}`);
    return changes.filter((change) => !refused.has(change));
  }

  /** Returns the refused changes, with reasons. */
  async #send(accountId: Id, changes: Change[]): Promise<[Change, string][]> {
    try {
      const update = Object.fromEntries(changes.map(({ id, patch }) => [id, pointers(patch)]));
      const { notUpdated } = await this.#set(accountId, { update });
      return changes.flatMap((change): [Change, string][] => {
        const problem = notUpdated?.[change.id];
        return problem ? [[change, problem.description ?? problem.type]] : [];
      });
    } catch (error) {
      return changes.map((change) => [change, words(error)]);
    }
  }

  #refreshLists(): void {
    for (const list of this.lists) list.refresh();
  }

  #set(accountId: Id, values: Record<string, unknown>): Promise<SetAnswer> {
    return this.app.client.call<SetAnswer>("Email/set", { accountId, ...values });
  }
}
