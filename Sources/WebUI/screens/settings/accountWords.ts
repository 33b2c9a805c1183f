/** The state of an account in words, and the one thing to do about it. */
import type { AccountSettings, Quota, SyncStatus } from "../../jmap/vendor.ts";
import { comingTime, count, inOrder, spokenTime } from "../../store/words.ts";

export type AccountAction = "signIn" | "resume" | "tryNow" | "checkNow";

export interface AccountState {
  /** A word or two. */
  badge: string;
  isGood: boolean;
  /** Each is a paragraph. */
  sentences: string[];
  action: AccountAction | null;
}

/** The words on the button. */
export const ACTIONS: Record<AccountAction, string> = {
  signIn: "Re-authenticate",
  resume: "Resume",
  tryNow: "Try now",
  checkNow: "Check now",
};

type Known = Pick<AccountSettings, "status" | "address">;

/**
 * @param sync null while it is not known.
 * @param quotas what its service says about its limits.
 */
export function accountState(
  account: Known,
  sync: SyncStatus | null,
  quotas: Quota[] = [],
  now = new Date(),
): AccountState {
  if (account.status === "paused") return PAUSED;
  const problem = sync?.problem ? [inOrder(sync.problem)] : [];
  if (account.status === "inactive") {
    const sentences = ["This account is signed out, so mail is neither received nor sent.", ...problem];
    return { badge: "Inactive", isGood: false, sentences, action: "signIn" };
  }
  // The program tries a refused sign-in a few times more before it makes the account inactive.
  if (sync?.isSignInRefused) {
    const sentences = problem.length > 0
      ? problem
      : ["The service refused the sign-in. mailkernel is trying again."];
    return { badge: "Sign-in refused", isGood: false, sentences, action: "signIn" };
  }
  if (sync?.problem) return troubled(sync, now);
  const full = quotas.find(({ types, used, hardLimit }) =>
    types.includes("Mail") && hardLimit > 0 && used >= hardLimit
  );
  if (full) {
    const sentences = [
      `The mailbox is full, so new messages may be rejected. Delete some, then check again.`,
    ];
    return { badge: "Mailbox full", isGood: false, sentences, action: "checkNow" };
  }
  return { badge: "Active", isGood: true, ...calm(sync, now) };
}

const PAUSED: AccountState = {
  badge: "Paused",
  isGood: false,
  sentences: [
    "This account neither receives nor sends mail. Your changes and messages wait here until you resume it.",
  ],
  action: "resume",
};

/** What is lost when an account is removed. */
export function removalSentence(account: Pick<AccountSettings, "isKeptHereOnly">, isSynced: boolean): string {
  const all = "All local emails, drafts, and cached data for this account will be deleted.";
  if (!account.isKeptHereOnly) return all;
  const lost = isSynced
    ? "Its mail is only on this device: everything that is no longer on the server will be lost."
    : "Its mail is only on this device, so it will be lost.";
  return `${all} ${lost} To keep it, cancel and export it first.`;
}

/** It has a problem that passes, or that the user can end. */
function troubled(sync: SyncStatus, now: Date): AccountState {
  const problem = inOrder(sync.problem ?? "");
  const again = sync.retryAt && Date.parse(sync.retryAt) > now.getTime()
    ? `mailkernel tries again ${comingTime(new Date(sync.retryAt), now)}.`
    : null;
  const state = (badge: string, sentence: string, action: AccountAction | null) => ({
    badge,
    isGood: false,
    sentences: again ? [sentence, again] : [sentence],
    action,
  });
  switch (sync.remedy) {
    case "network":
      return state(
        "Offline",
        "This computer is offline. You can still read and write; mail is received and sent when you are online again.",
        "tryNow",
      );
    case "wait":
      // Asking earlier would make the service block the account.
      return state("Waiting", "The service is busy and asked mailkernel to wait.", null);
    case "signIn":
      return state("Sign-in refused", problem, "signIn");
    case "unlock":
      return state("Locked", problem, "tryNow");
    default:
      return state("Problem", problem, "tryNow");
  }
}

function calm(sync: SyncStatus | null, now: Date): Pick<AccountState, "sentences" | "action"> {
  switch (sync?.phase) {
    case "connecting":
      return { sentences: ["Connecting to the service…"], action: null };
    case "syncing": {
      const { done, total } = sync.progress ?? { done: 0, total: 0 };
      const how = total > 0 ? `: ${count(done)} of ${count(total)} messages` : "";
      return { sentences: [`Getting mail${how}…`], action: null };
    }
    case "listening": {
      const since = sync.syncedAt ? `, last checked ${spokenTime(sync.syncedAt, now)}` : "";
      return { sentences: [`Up to date${since}.`], action: "checkNow" };
    }
    default:
      return { sentences: [], action: null };
  }
}
