import { words } from "../jmap/errors.ts";
import type { Id, UTCDate } from "../jmap/types.ts";
import type { Parts } from "./parts.ts";
import { mailboxTitle } from "./scope.ts";
import { factsOf, type Verb } from "./verbs.ts";
import { count, counted } from "./words.ts";

/** The record of an action, by which it can be undone. */
export interface ActionRecord {
  id: Id;
  verb: Verb;
  mailboxId: Id | null;
  client: string;
  createdAt: UTCDate;
  state: "running" | "done" | "undoing" | "undone";
  /** Conversations or messages, and how many of them are done. */
  total: number;
  done: number;
  /** Messages: changed, protected by rights, and not restored because they have changed since. */
  changed: number;
  refused: number;
  refusal: string | null;
  kept: number;
  mayUndo: boolean;
}

/** An action of one account, as the program has recorded it. */
export interface Recorded extends ActionRecord {
  accountId: Id;
}

/** How an action ended in one account: its record, or why there is none. */
export type Outcome = { accountId: Id; record: ActionRecord } | { accountId: Id; problem: string };

interface SetAnswer {
  created?: Record<string, ActionRecord> | null;
  updated?: Record<Id, ActionRecord> | null;
  notCreated?: Record<string, { type: string; description?: string }> | null;
  notUpdated?: Record<Id, { type: string; description?: string }> | null;
}

/** The actions that the program keeps: performs, undoes and reads them. */
export class ActionLog {
  constructor(private readonly app: Parts) {}

  perform(accountId: Id, values: Record<string, unknown>): Promise<Outcome> {
    return this.#set(accountId, "action", { create: { action: values } });
  }

  undo({ accountId, id }: Pick<Recorded, "accountId" | "id">): Promise<Outcome> {
    return this.#set(accountId, id, { update: { [id]: { isUndone: true } } });
  }

  async #set(accountId: Id, key: string, values: Record<string, unknown>): Promise<Outcome> {
    try {
      const answer = await this.app.client.call<SetAnswer>("MailAction/set", { accountId, ...values });
      const record = answer.created?.[key] ?? answer.updated?.[key];
      if (record) return { accountId, record };
      const problem = answer.notCreated?.[key] ?? answer.notUpdated?.[key];
      return { accountId, problem: problem?.description ?? problem?.type ?? "mailkernel gave no reason." };
    } catch (error) {
      return { accountId, problem: words(error) };
    }
  }

  /** The newest actions of all accounts, without single changes such as a message that was read. */
  async newest(limit: number, filter: { mayUndo?: true } = {}): Promise<Recorded[]> {
    const lists = await Promise.all(this.app.accounts.map(async ({ id: accountId }) => {
      const batch = this.app.client.batch();
      const query = batch.add("MailAction/query", {
        accountId,
        limit,
        filter: { isUpdate: false, ...filter },
      });
      const found = batch.add<{ list: ActionRecord[] }>("MailAction/get", {
        accountId,
        "#ids": query.ref("/ids"),
      });
      await batch.send();
      return (await found.answer).list.map((record) => ({ ...record, accountId }));
    }));
    return lists.flat().sort((left, right) => right.createdAt.localeCompare(left.createdAt)).slice(0, limit);
  }

  /** Reads actions again whenever they have changed, until none is in progress. */
  async untilDone(actions: Recorded[], onProgress: (actions: Recorded[]) => void): Promise<Recorded[]> {
    onProgress(actions);
    for (let current = actions; current.some(isBusy);) {
      const change = this.#nextChange();
      current = (await Promise.all(current.map((action) => this.read(action)))).flat();
      onProgress(current);
      if (current.some(isBusy)) await change;
      else return current;
    }
    return actions;
  }

  /** `3 messages moved to Travel` */
  summary(verb: Verb, actions: Recorded[]): string {
    const [first] = actions;
    const changed = actions.reduce((sum, action) => sum + action.changed, 0);
    const mailbox = first?.mailboxId && this.app.account(first.accountId)?.mailboxes.get(first.mailboxId);
    return `${counted(changed, "message")} ${factsOf(verb).done}${
      mailbox ? ` ${mailboxTitle(mailbox)}` : ""
    }`;
  }

  /** How far actions are, or how they ended. */
  progress(actions: Recorded[], what: string): string {
    const sum = (property: "total" | "done" | "kept") =>
      actions.reduce((sum, action) => sum + action[property], 0);
    const [first] = actions;
    if (!first) return "";
    if (actions.some(({ state }) => state === "running")) {
      return `${count(sum("done"))} of ${counted(sum("total"), "conversation")} done`;
    }
    if (actions.some(({ state }) => state === "undoing")) return "Undoing…";
    if (first.state !== "undone") return this.summary(first.verb, actions);
    const kept = sum("kept");
    if (kept > 0) return `Undone, except for ${counted(kept, "message")} changed or deleted since`;
    return what ? `Undone: ${what}` : "Undone";
  }

  /** An action as it is now; none if it is no longer on record. */
  async read({ accountId, id }: Pick<Recorded, "accountId" | "id">): Promise<Recorded[]> {
    const { list } = await this.app.client.call<{ list: ActionRecord[] }>("MailAction/get", {
      accountId,
      ids: [id],
    });
    return list.map((record) => ({ ...record, accountId }));
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.app.onChange((_, changed) => {
        if (!("MailAction" in changed)) return;
        stop();
        resolve();
      });
    });
  }
}

/** The program did it by itself, such as archiving later messages of a muted conversation. */
export function isAutomatic(action: ActionRecord): boolean {
  return action.client === "automatic" || isOfRule(action);
}

/** A rule did it. Its name is in `client`. */
export function isOfRule({ client }: ActionRecord): boolean {
  return client.startsWith("Rule “");
}

export function isBusy({ state }: ActionRecord): boolean {
  return state === "running" || state === "undoing";
}

export function recorded(outcomes: Outcome[]): Recorded[] {
  return outcomes.flatMap((one) => "record" in one ? [{ ...one.record, accountId: one.accountId }] : []);
}
