import { JMAPClient } from "../jmap/client.ts";
import { SetError, words } from "../jmap/errors.ts";
import type { Id, State } from "../jmap/types.ts";
import { Observable } from "../base/observable.ts";

export type Status = "empty" | "loading" | "ready" | "failed";

export interface SetAnswer {
  created?: Record<string, Record<string, unknown>> | null;
  updated?: Record<Id, Record<string, unknown> | null> | null;
  notCreated?: Record<string, SetProblem> | null;
  notUpdated?: Record<Id, SetProblem> | null;
  notDestroyed?: Record<Id, SetProblem> | null;
}

interface SetProblem {
  type: string;
  [detail: string]: unknown;
}

/** Reads the refusals out of the answer of a `/set`; throws the first. */
export function refuse(answer: SetAnswer): void {
  for (const problems of [answer.notCreated, answer.notUpdated, answer.notDestroyed]) {
    for (const problem of Object.values(problems ?? {})) throw new SetError(problem.type, problem);
  }
}

/**
 * All objects of one small type in one account: preferences, mailboxes, notices and so on.
 *
 * Changes are shown immediately and undone if the program refuses them; `update`, `create` and `destroy` then
 * throw its error.
 */
export class Records<T extends { id: Id }> extends Observable {
  status: Status = "empty";
  /** Why loading failed, in a sentence. */
  problem: string | null = null;
  readonly #saved = new Map<Id, T>();
  /** Local changes that are not confirmed yet, oldest first. */
  readonly #pending: { id: Id; patch: Partial<T> | null }[] = [];
  #state: State | null = null;
  #loading: Promise<void> | null = null;
  /** Created since the current request was sent, whose answer may be from before. */
  readonly #fresh = new Set<Id>();
  #view: T[] | null = null;

  constructor(
    readonly client: JMAPClient,
    readonly type: string,
    readonly accountId: Id,
    readonly extra: Record<string, unknown> = {},
  ) {
    super();
  }

  get list(): T[] {
    this.#view ??= this.#merged();
    return this.#view;
  }

  get(id: Id): T | undefined {
    return this.list.find((record) => record.id === id);
  }

  isDirty(id: Id): boolean {
    return this.#pending.some((change) => change.id === id);
  }

  /** Loads all objects; a second call shares the first one's request. */
  load(): Promise<void> {
    this.#loading ??= this.#read().finally(() => this.#loading = null);
    return this.#loading;
  }

  /** Reloads if the program's state has changed. */
  async heard(state: State): Promise<void> {
    if (this.status === "empty" || state === this.#state) return;
    await this.#loading;
    if (state !== this.#state) await this.load();
  }

  async update(id: Id, patch: Partial<T>): Promise<void> {
    await this.#change({ id, patch }, { update: { [id]: patch } });
  }

  /** Shows values that the program will have by itself, until `done`. Then they are read from it. */
  async foresee(patches: [Id, Partial<T>][], done: Promise<unknown>): Promise<void> {
    if (patches.length === 0) return;
    const changes = patches.map(([id, patch]) => ({ id, patch }));
    this.#pending.push(...changes);
    this.#show();
    await done.catch(() => {});
    // What is being read may be older.
    await this.#loading;
    await this.load();
    this.#settle(changes);
  }

  /**
   * Shows a change only after the program has confirmed it, as for settings.
   *
   * - Parameter secret: properties that are sent but not stored.
   */
  async save(id: Id, patch: Partial<T>, secret: Record<string, unknown> = {}): Promise<void> {
    await this.#set({ update: { [id]: { ...patch, ...secret } } });
    const saved = this.#saved.get(id);
    if (saved) this.#saved.set(id, { ...saved, ...patch });
    this.#show();
  }

  /** Returns what the program set by itself, the id among it. */
  async create(values: Record<string, unknown>): Promise<T> {
    const answer = await this.#set({ create: { new: values } });
    const made = { ...values, ...answer.created?.["new"] } as unknown as T;
    this.#saved.set(made.id, made);
    if (this.#loading) this.#fresh.add(made.id);
    this.#show();
    return made;
  }

  async destroy(...ids: Id[]): Promise<void> {
    const changes = ids.map((id) => ({ id, patch: null }));
    this.#pending.push(...changes);
    this.#show();
    try {
      await this.#set({ destroy: ids });
      for (const id of ids) this.#saved.delete(id);
    } finally {
      this.#settle(changes);
    }
  }

  async #change(change: { id: Id; patch: Partial<T> }, values: Record<string, unknown>): Promise<void> {
    this.#pending.push(change);
    this.#show();
    try {
      await this.#set(values);
      const saved = this.#saved.get(change.id);
      if (saved) this.#saved.set(change.id, { ...saved, ...change.patch });
    } finally {
      this.#settle([change]);
    }
  }

  async #set(values: Record<string, unknown>): Promise<SetAnswer> {
    const answer = await this.client.call<SetAnswer>(`${this.type}/set`, {
      accountId: this.accountId,
      ...values,
    });
    refuse(answer);
    return answer;
  }

  async #read(): Promise<void> {
    if (this.status === "empty" || this.status === "failed") {
      this.status = "loading";
      this.changed();
    }
    this.#fresh.clear();
    try {
      const answer = await this.client.call<{ list: T[]; state: State }>(`${this.type}/get`, {
        accountId: this.accountId,
        ids: null,
        ...this.extra,
      });
      const known = new Set(answer.list.map(({ id }) => id));
      const fresh = [...this.#fresh].flatMap((id) => known.has(id) ? [] : this.#saved.get(id) ?? []);
      this.#saved.clear();
      for (const record of [...answer.list, ...fresh]) this.#saved.set(record.id, record);
      this.#state = answer.state;
      this.status = "ready";
      this.problem = null;
      // The next answer decides: it is from after they were created.
      if (fresh.length > 0) return this.#read();
    } catch (error) {
      // Previously loaded objects are still shown.
      if (this.#saved.size === 0) this.status = "failed";
      this.problem = words(error);
    }
    this.#show();
  }

  #settle(changes: { id: Id; patch: Partial<T> | null }[]): void {
    for (const change of changes) {
      const index = this.#pending.indexOf(change);
      if (index >= 0) this.#pending.splice(index, 1);
    }
    this.#show();
  }

  #merged(): T[] {
    const merged = new Map(this.#saved);
    for (const { id, patch } of this.#pending) {
      const record = merged.get(id);
      if (patch === null) merged.delete(id);
      else if (record) merged.set(id, { ...record, ...patch });
    }
    return [...merged.values()];
  }

  #show(): void {
    this.#view = null;
    this.changed();
  }
}
