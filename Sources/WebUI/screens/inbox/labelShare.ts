import type { Id, Mailbox } from "../../jmap/types.ts";
import type { Target } from "../../store/target.ts";

/** How many of the conversations have a label. */
export type Share = "all" | "some" | "none";

/** What the user has switched, by label. */
export type Chosen = ReadonlyMap<Id, boolean>;

/** How many have it now. */
function shareOf(targets: Target[], { id }: Mailbox): Share {
  const having = targets.filter(({ emails }) => emails.some(({ mailboxIds }) => mailboxIds[id]));
  return having.length === 0 ? "none" : having.length === targets.length ? "all" : "some";
}

/** How many would have it. */
export function wantedShare(chosen: Chosen, targets: Target[], label: Mailbox): Share {
  const isOn = chosen.get(label.id);
  return isOn === undefined ? shareOf(targets, label) : isOn ? "all" : "none";
}

/** The same, with a label switched: what only some have, all have then. */
export function switched(chosen: Chosen, targets: Target[], label: Mailbox): Chosen {
  return new Map(chosen).set(label.id, wantedShare(chosen, targets, label) !== "all");
}

/** The labels that change. */
export function difference(
  chosen: Chosen,
  targets: Target[],
  labels: Mailbox[],
): { added: Mailbox[]; removed: Mailbox[] } {
  return {
    added: labels.filter((label) => chosen.get(label.id) === true && shareOf(targets, label) !== "all"),
    removed: labels.filter((label) => chosen.get(label.id) === false && shareOf(targets, label) !== "none"),
  };
}
