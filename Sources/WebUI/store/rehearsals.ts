import { words } from "../jmap/errors.ts";
import type { Applied, Rule } from "../jmap/rules.ts";
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

/** Does what a rule says with messages that are in the inbox. */
export async function applyRule(
  app: Pick<Parts, "client">,
  accountId: Id,
  rule: Rule,
  ids: Id[],
): Promise<Applied> {
  const all: Applied = { changed: 0, actionIds: [], problems: [] };
  for (let at = 0; at < ids.length; at += MOST_APPLIED) {
    const emailIds = ids.slice(at, at + MOST_APPLIED);
    const one = await app.client.call<Applied>("RuleList/apply", { accountId, rule, emailIds });
    all.changed += one.changed;
    all.actionIds.push(...one.actionIds);
    all.problems.push(...one.problems.filter((problem) => !all.problems.includes(problem)));
  }
  return all;
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
