import { words } from "../jmap/errors.ts";
import type { Id } from "../jmap/types.ts";
import type { Parts } from "./parts.ts";
import { Observable } from "../base/observable.ts";
import { refuse } from "./records.ts";
import type { Row } from "./rows.ts";

/** Kinds of mail that a person can choose; the others show under All only. */
export const CATEGORIES = [
  ["primary", "Primary"],
  ["social", "Social"],
  ["promotions", "Promotions"],
  ["updates", "Updates"],
  ["forums", "Forums"],
] as const;

export function categoryTitle(category: string): string | null {
  return CATEGORIES.find(([id]) => id === category)?.[1] ?? null;
}

/** What models on this computer can do at present; nothing where there is none. */
export function models(app: Parts): { categories?: boolean; replies?: boolean; summaries?: boolean } {
  return app.client.session.capabilities["urn:mailkernel:models"] as Record<string, boolean> | undefined ??
    {};
}

interface CategoryAnswer {
  list: { id: Id; category: string }[];
  pausedBy?: "battery" | "busy" | null;
}

/** What kind of mail the rows are that are looked at. */
export class Categories extends Observable {
  readonly #known = new Map<string, string>();
  readonly #asked = new Set<string>();
  /** Why older mail is not being sorted now; it is the same for all accounts. */
  pausedBy: "battery" | "busy" | null = null;

  constructor(private readonly app: Parts) {
    super();
    app.onChange((accountId, changed) => {
      if (!("Category" in changed)) return;
      for (const key of [...this.#asked]) if (key.startsWith(`${accountId}/`)) this.#asked.delete(key);
      this.changed();
      this.#askForPause(accountId);
    });
  }

  /** What a list without rows has to know too. */
  look(): void {
    const [first] = this.app.accounts;
    if (first && models(this.app).categories) this.#askForPause(first.id);
  }

  async #askForPause(accountId: Id): Promise<void> {
    await this.#get(accountId, []).then(() => this.changed(), () => {});
  }

  async #get(accountId: Id, ids: Id[]): Promise<{ id: Id; category: string }[]> {
    const answer = await this.app.client.call<CategoryAnswer>("Category/get", { accountId, ids });
    this.pausedBy = answer.pausedBy ?? null;
    return answer.list;
  }

  get(accountId: Id, emailId: Id): string | undefined {
    return models(this.app).categories ? this.#known.get(`${accountId}/${emailId}`) : undefined;
  }

  async want(rows: Pick<Row, "accountId" | "emailId">[]): Promise<void> {
    if (!models(this.app).categories) return;
    const missing = rows.filter((row) => !this.#asked.has(`${row.accountId}/${row.emailId}`));
    if (missing.length === 0) return;
    for (const row of missing) this.#asked.add(`${row.accountId}/${row.emailId}`);
    const accounts = [...new Set(missing.map((row) => row.accountId))];
    await Promise.all(accounts.map(async (accountId) => {
      const ids = missing.filter((row) => row.accountId === accountId).map((row) => row.emailId);
      // Without them the rows are as they are without a model.
      const list = await this.#get(accountId, ids).catch(() => []);
      for (const { id, category } of list) this.#known.set(`${accountId}/${id}`, category);
    }));
    this.changed();
  }

  /** The person knows better: this and the sender's other mail is of that kind from now on. */
  async correct(accountId: Id, emailIds: Id[], category: string): Promise<void> {
    const before = emailIds.map((id) => this.#known.get(`${accountId}/${id}`));
    for (const id of emailIds) this.#known.set(`${accountId}/${id}`, category);
    this.changed();
    try {
      const update = Object.fromEntries(emailIds.map((id) => [id, { category }]));
      refuse(await this.app.client.call("Category/set", { accountId, update }));
      this.app.toasts.show(`Mail like this will now be in ${categoryTitle(category)}`);
    } catch (error) {
      emailIds.forEach((id, index) =>
        this.#known.set(`${accountId}/${id}`, before[index] ?? "uncategorized")
      );
      this.changed();
      this.app.toasts.problem(`The category could not be changed: ${words(error)}`);
    }
  }
}
