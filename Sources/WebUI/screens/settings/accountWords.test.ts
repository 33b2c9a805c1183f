import type { Quota, SyncStatus } from "../../jmap/vendor.ts";
import { equal } from "../../testing/assert.ts";
import { accountState, removalSentence } from "./accountWords.ts";

const NOW = new Date(2026, 10, 28, 15, 0);

function at(hours: number, minutes: number): string {
  return new Date(2026, 10, 28, hours, minutes).toISOString();
}

function clock(hours: number, minutes: number): string {
  return new Date(2026, 10, 28, hours, minutes)
    .toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
}

type Status = "active" | "inactive" | "paused";

function state(sync: Partial<SyncStatus> | null, status: Status = "active", quotas: Quota[] = []) {
  const whole = sync && { id: "a", phase: "waiting" as const, progress: null, problem: null, ...sync };
  return accountState({ status, address: "ada@example.org" }, whole, quotas, NOW);
}

const said = (...values: Parameters<typeof state>) => {
  const { badge, sentences, action } = state(...values);
  return [badge, sentences.join(" "), action];
};

Deno.test("ACC-90: an account that works says when it was checked", () => {
  equal(said({ phase: "listening", syncedAt: at(14, 55) }), [
    "Active",
    `Up to date, last checked today at ${clock(14, 55)}.`,
    "checkNow",
  ]);
  equal(said({ phase: "syncing", progress: { done: 3, total: 12 } }), [
    "Active",
    "Getting mail: 3 of 12 messages…",
    null,
  ]);
  equal(said({ phase: "connecting" }), ["Active", "Connecting to the service…", null]);
  equal(said({ phase: "idle" }), ["Active", "", null]);
  equal(said(null), ["Active", "", null]);
});

Deno.test("ACC-90: each kind of trouble has one thing to do", () => {
  const trouble = (remedy: NonNullable<SyncStatus["remedy"]>, problem = "It failed.") =>
    said({ problem, remedy, retryAt: at(15, 10) });
  const again = `mailkernel tries again today at ${clock(15, 10)}.`;
  equal(trouble("retry"), ["Problem", `It failed. ${again}`, "tryNow"]);
  equal(trouble("unlock", "It is locked."), ["Locked", `It is locked. ${again}`, "tryNow"]);
  equal(trouble("wait"), ["Waiting", `The service is busy and asked mailkernel to wait. ${again}`, null]);
  equal(trouble("signIn"), ["Sign-in refused", `It failed. ${again}`, "signIn"]);
  equal(trouble("network")[2], "tryNow");
  // A time that has passed is not named.
  equal(said({ problem: "It failed.", remedy: "retry", retryAt: at(14, 0) })[1], "It failed.");
});

Deno.test("ACC-90: a refused sign-in, a signed-out account and a pause come before all else", () => {
  equal(said({ problem: "No.", isSignInRefused: true, remedy: "retry" }), [
    "Sign-in refused",
    "No.",
    "signIn",
  ]);
  equal(said({ isSignInRefused: true })[1], "The service refused the sign-in. mailkernel is trying again.");
  const { badge, sentences, action } = state({ problem: "No." }, "inactive");
  equal([badge, sentences.length, action], ["Inactive", 2, "signIn"]);
  equal([state({ problem: "No." }, "paused").badge, state(null, "paused").action], ["Paused", "resume"]);
});

Deno.test("ACC-90: a full mailbox is said, unless something else is wrong", () => {
  const full = [{ types: ["Mail"], used: 10, hardLimit: 10 } as Quota];
  equal(state({ phase: "listening" }, "active", full).badge, "Mailbox full");
  equal(state({ problem: "No.", remedy: "retry" }, "active", full).badge, "Problem");
  const other = [{ types: ["Calendar"], used: 10, hardLimit: 10 } as Quota];
  equal(state({ phase: "listening" }, "active", other).badge, "Active");
});

Deno.test("ACC-102: removing an account says whether its mail is lost", () => {
  const all = "All local emails, drafts, and cached data for this account will be deleted.";
  equal(removalSentence({ isKeptHereOnly: false }, true), all);
  equal(removalSentence({}, true), all);
  for (const isSynced of [true, false]) {
    const said = removalSentence({ isKeptHereOnly: true }, isSynced);
    equal(said.startsWith(all) && said.includes("will be lost") && said.includes("export"), true);
    equal(said.includes("the server"), isSynced);
  }
});
