import type { RuleEntry, ServiceRules } from "../../jmap/rules.ts";
import { equal } from "../../testing/assert.ts";
import { entryPlaces, serviceWords, uncertainWords, vacationWhere } from "./serviceWords.ts";

const service: ServiceRules = {
  id: "singleton",
  isWanted: true,
  isActive: true,
  mayBeThere: true,
  isForeign: false,
  scripts: [],
  question: null,
  rules: [{ title: "Vacation reply", isOff: false, reason: null }, {
    title: "On",
    isOff: false,
    reason: "It forwards.",
  }],
  obstacle: null,
  checkedAt: "2026-11-28T00:00:00Z",
  problem: null,
  problemSince: null,
};

const rule = (name: string): RuleEntry => ({
  kind: "rule",
  name,
  isOn: true,
  joining: "all",
  conditions: [],
  actions: [],
});
const text: RuleEntry = { kind: "text", text: "keep;" };

Deno.test("each rule says where it runs", () => {
  const on = "Runs on this computer. It forwards.";
  equal(entryPlaces(service, [text, rule("On")]), ["Runs at the service.", on]);
  // Moved or added since the service was checked.
  equal(entryPlaces(service, [rule("On"), rule("New")]), [on, null]);
  equal(entryPlaces({ ...service, isWanted: false }, [rule("On")]), [null]);
  equal(entryPlaces(undefined, [rule("On")]), [null]);
});

Deno.test("ORG-20: what was written by hand says where it runs", () => {
  const part = (title: string | null, reason: string | null = null, isOff = false) => ({
    title,
    isOff,
    reason,
  });
  const entries = [rule("A"), text, rule("B"), text];
  const places = (rules: ServiceRules["rules"]) => entryPlaces({ ...service, rules }, entries);
  const there = "Runs at the service.";
  equal(places([part("A"), part(null), part(null), part("B"), part(null)]), [there, there, there, there]);
  const here = "Runs on this computer. It uses variables.";
  const reason = "It uses variables.";
  equal(
    places([part("A"), part(null, reason), part(null, "Later."), part("B", "Later."), part(null, reason)]),
    [there, here, "Runs on this computer. Later.", here],
  );
  equal(places([part("A"), part(null), part(null, reason), part("B", null, true), part(null, reason)]), [
    there,
    "The first part runs at the service, the rest on this computer. It uses variables.",
    null,
    here,
  ]);
  // The text was added since the service was checked.
  equal(places([part("A"), part("B")]), [there, null, there, null]);
});

Deno.test("a vacation reply says plainly that this computer must be on", () => {
  equal(vacationWhere(service), "The service sends replies, also while this computer is off.");
  const here = "Replies are sent only while this computer is on and mailkernel is running.";
  equal(vacationWhere(undefined), here);
  equal(vacationWhere({ ...service, isActive: false }), here);
  // ACC-50: a service that has a reply of its own.
  equal(vacationWhere(undefined, true), vacationWhere(service));
});

Deno.test("what is uncertain is said", () => {
  equal(uncertainWords(service), null);
  const down = { ...service, problem: "It is down." };
  const wanted = uncertainWords(down) ?? "";
  equal(wanted.includes("The service may still be running an earlier version of the rules."), true);
  const off = uncertainWords({ ...down, isWanted: false }) ?? "";
  equal(off.includes("The service may still be running the rules."), true);
  equal(
    uncertainWords({ ...down, mayBeThere: false }),
    "The service could not be checked: It is down.",
  );
});

Deno.test("rules that may still be at the service are not said to run here", () => {
  const off = { ...service, isWanted: false };
  equal(serviceWords(off).startsWith("Waiting for the service to stop running them."), true);
  equal(serviceWords({ ...off, mayBeThere: false }), "All rules run on this computer.");
});
