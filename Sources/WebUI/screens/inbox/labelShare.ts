import type { Id, Mailbox } from "../../jmap/types.ts";
import type { Target } from "../../store/target.ts";

/** How many of the conversations have a label. */
export type Share = "all" | "some" | "none";

/** The conversations, as far as they are loaded. */
export interface Labeled {
  targets: Target[];
  isPartial: boolean;
}

/** What the user has switched, by label. */
export type Chosen = ReadonlyMap<Id, boolean>;

/** How many have it now; some, where that is not known. */
function shareOf({ targets, isPartial }: Labeled, { id }: Mailbox): Share {
  if (isPartial) return "some";
  const having = targets.filter(({ emails }) => emails.some(({ mailboxIds }) => mailboxIds[id]));
  return having.length === 0 ? "none" : having.length === targets.length ? "all" : "some";
}

/** How many would have it. */
export function wantedShare(chosen: Chosen, labeled: Labeled, label: Mailbox): Share {
  const isOn = chosen.get(label.id);
  return isOn === undefined ? shareOf(labeled, label) : isOn ? "all" : "none";
}

/** The same, with a label switched: what only some have, all have then. */
export function switched(chosen: Chosen, labeled: Labeled, label: Mailbox): Chosen {
  return new Map(chosen).set(label.id, wantedShare(chosen, labeled, label) !== "all");
}

/** The labels that change. */
export function difference(
  chosen: Chosen,
  labeled: Labeled,
  labels: Mailbox[],
): { added: Mailbox[]; removed: Mailbox[] } {
  return {
    added: labels.filter((label) => chosen.get(label.id) === true && shareOf(labeled, label) !== "all"),
    removed: labels.filter((label) => chosen.get(label.id) === false && shareOf(labeled, label) !== "none"),
  };
}
