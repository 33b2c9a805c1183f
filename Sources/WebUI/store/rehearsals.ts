import { words } from "../jmap/errors.ts";
import type { Applied, Rehearsed, Script } from "../jmap/rules.ts";
import type { EmailHeader, Id } from "../jmap/types.ts";
import { type ActionLog, recorded } from "./actionLog.ts";
import type { Parts } from "./parts.ts";
import { counted } from "./words.ts";

/** So many messages are listed at once. */
export const LISTED = 50;
/** So many messages the program takes with one call. */
const MOST_APPLIED = 5000;
/** So many actions are undone together. */
const UNDONE_TOGETHER = 20;

/** The next messages of a list, in its order. Those that were deleted meanwhile are missing. */
export async function loadFound(
  app: Pick<Parts, "client">,
  accountId: Id,
  ids: Id[],
  position: number,
): Promise<EmailHeader[]> {
  const some = ids.slice(position, position + LISTED);
  if (some.length === 0) return [];
  const { list } = await app.client.call<{ list: EmailHeader[] }>("Email/get", {
    accountId,
    ids: some,
    properties: ["id", "from", "subject", "receivedAt"],
  });
  const byId = new Map(list.map((email) => [email.id, email]));
  return some.flatMap((id) => byId.get(id) ?? []);
}

/** To which of the messages that were found rules can be applied: those in the inbox, and all where these are more. */
export interface Reach {
  ids: Id[];
  isEverywhere: boolean;
  /** `the 12 messages in the inbox` */
  words: string;
}

export function reaches({ inboxIds, keptIds }: Rehearsed): Reach[] {
  const inbox = `the ${counted(inboxIds.length, "message")} in the inbox`;
  const all = keptIds.length === 1 ? "the message" : `all ${counted(keptIds.length, "message")}`;
  return [
    { ids: inboxIds, isEverywhere: false, words: inbox },
    { ids: keptIds, isEverywhere: true, words: all },
  ].filter(({ ids, isEverywhere }) => ids.length > (isEverywhere ? inboxIds.length : 0));
}

/** Does what rules say with past mail. If it fails, says what was done before: that can be undone. */
export async function applyRules(
  app: Pick<Parts, "client">,
  accountId: Id,
  script: Script,
  { ids, isEverywhere }: Pick<Reach, "ids" | "isEverywhere">,
): Promise<Applied> {
  const all: Applied = { changed: 0, actionIds: [], problems: [], failure: null };
  try {
    for (let at = 0; at < ids.length && all.failure === null; at += MOST_APPLIED) {
      const emailIds = ids.slice(at, at + MOST_APPLIED);
      const one = await app.client.call<Applied>("RuleList/apply", {
        accountId,
        ...script,
        emailIds,
        isEverywhere,
      });
      all.changed += one.changed;
      all.actionIds.push(...one.actionIds);
      all.problems.push(...one.problems.filter((problem) => !all.problems.includes(problem)));
      all.failure = one.failure;
    }
  } catch (error) {
    all.failure = words(error);
  }
  return all;
}

/**
 * Why not everything was done, if so.
 *
 * @param subject the beginning of that sentence, such as `The rule was`
 */
export function applyProblem({ changed, problems, failure }: Applied, subject: string): string | null {
  if (failure === null) return problems[0] ?? null;
  return `${subject} not applied${changed > 0 ? " to all messages" : ""}: ${failure}`;
}

/** Applies rules that are in use by now, and says outside of any dialog what was done, with Undo. */
export async function applySaved(
  app: Pick<Parts, "client" | "toasts">,
  log: Pick<ActionLog, "undo" | "untilDone">,
  accountId: Id,
  script: Script,
  reach: Pick<Reach, "ids" | "isEverywhere">,
): Promise<void> {
  const name = "rule" in script ? `“${script.rule.name}”` : "the rules";
  const subject = "rule" in script ? `${name} is on, but was` : "The rules are saved, but were";
  const applied = await applyRules(app, accountId, script, reach);
  const { changed, actionIds } = applied;
  if (changed > 0 || applied.failure === null) {
    const undo = () => void undoApplied(app, log, accountId, actionIds);
    const action = actionIds.length > 0 ? { label: "Undo", run: undo } : null;
    app.toasts.show(`${counted(changed, "message")} changed by ${name}`, { action, seconds: 10 });
  }
  const problem = applyProblem(applied, subject);
  if (problem !== null) app.toasts.problem(problem);
}

/**
 * Undoes what a rule did to past mail, and says what could not be undone.
 *
 * @returns whether all of it was undone
 */
export async function undoApplied(
  { toasts }: Pick<Parts, "toasts">,
  log: Pick<ActionLog, "undo" | "untilDone">,
  accountId: Id,
  actionIds: Id[],
): Promise<boolean> {
  const toast = toasts.show("Undoing…", { seconds: null });
  const problems = new Set<string>();
  let [undone, kept] = [0, 0];
  try {
    for (let at = 0; at < actionIds.length; at += UNDONE_TOGETHER) {
      const some = actionIds.slice(at, at + UNDONE_TOGETHER);
      const outcomes = await Promise.all(some.map((id) => log.undo({ accountId, id })));
      for (const outcome of outcomes) if ("problem" in outcome) problems.add(outcome.problem);
      const ended = await log.untilDone(recorded(outcomes), () => {});
      undone += ended.length;
      kept += ended.reduce((sum, action) => sum + action.kept, 0);
    }
  } catch (error) {
    problems.add(words(error));
  }
  const text = kept > 0
    ? `Undone, except for ${counted(kept, "message")} changed or deleted since`
    : "Undone";
  if (undone === 0) toasts.dismiss(toast);
  else toasts.update(toast, { text, seconds: kept > 0 ? 10 : 5 });
  for (const problem of problems) toasts.problem(`Not undone: ${problem}`);
  return problems.size === 0;
}
