import type { Did } from "../store/performer.ts";
import type { ListState } from "../store/listState.ts";
import { type Row, rowKey } from "../store/rows.ts";
import type { Scope } from "../store/scope.ts";
import type { Target } from "../store/target.ts";

/** Conversations that go to a mailbox, get a label, are snoozed, or wait for a reply. */
export interface Choice {
  verb: "move" | "label" | "snooze" | "remind";
  targets: Target[];
  all?: Scope | null;
}

/** A list, and the conversation that is open beside it or in its place. */
export interface Desk {
  state: ListState;
  /** The row of the open conversation. */
  openKey: string | null;
  /** The open conversation takes the list's place. */
  isNarrow: boolean;
  open: (row: Row) => void;
  /** Back to the list. */
  back: () => void;
  /** Asks for a mailbox, a label or a time. */
  choose: (choice: Choice) => void;
}

/** An action on conversations. Returns whether anything was changed, since the user may cancel. */
export type Work = (targets: Target[]) => Did;

/**
 * Performs the action and shows the next conversation: the row that moved up, or the following one if the row
 * stays, as in search results. An open conversation is replaced by it, or by the list.
 *
 * - Parameter isList: shows the list next, as after a swipe.
 */
export function goOn(desk: Desk, targets: Target[], work: Work, isList = false): void {
  const { state, openKey } = desk;
  const wasOpen = openKey !== null && targets.some((target) => rowKey(target) === openKey);
  const isSelection = targets.some((target) => state.selected.has(rowKey(target)));
  const index = wasOpen ? state.list.indexOf(openKey) : state.cursorIndex;
  const before = state.list.row(index);
  const begun = work(targets);
  // At once where nothing is asked: the next row is there before the key comes up.
  if (begun === true) proceed();
  else if (begun !== false) begun.then((isDone) => isDone && proceed());

  function proceed(): void {
    if (isSelection) state.clear();
    const stays = before !== undefined && state.list.indexOf(rowKey(before)) === index;
    const isLast = stays && index + 1 >= state.list.total;
    const next = state.list.row(Math.min(stays ? index + 1 : index, state.list.total - 1));
    state.movedByKey = true;
    if (next && (!isSelection || wasOpen)) state.setCursor(next);
    if (!wasOpen) return;
    if (next && !isList && !isLast && rowKey(next) !== openKey) desk.open(next);
    else desk.back();
  }
}
