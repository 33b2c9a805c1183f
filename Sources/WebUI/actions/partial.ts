import type { Subject } from "./action.ts";

/**
 * Whether an action is also for conversations that are not loaded. What those are like is not known, so nothing that one
 * of them could need is hidden.
 */
export function isPartial({ all, targets, desk }: Pick<Subject, "all" | "targets" | "desk">): boolean {
  return Boolean(all) && (desk === undefined || desk.state.list.total > targets.length);
}

/** Whether those that are not loaded may be in any mailbox, as in a search. */
export function isMixed(subject: Pick<Subject, "all" | "targets" | "desk">): boolean {
  return isPartial(subject) && subject.targets.some(({ mailboxId }) => mailboxId === null);
}
