import type { ServiceRules } from "../../jmap/rules.ts";
import { equal } from "../../testing/assert.ts";
import { ruleWhere, serviceWords, uncertainWords, vacationWhere } from "./serviceWords.ts";

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

Deno.test("each rule says where it runs", () => {
  equal(ruleWhere(service, "On"), "Runs on this computer. It forwards.");
  equal(ruleWhere(service, "Vacation reply"), "Runs at the service.");
  equal(ruleWhere({ ...service, isWanted: false }, "On"), null);
  equal(ruleWhere(undefined, "On"), null);
});

Deno.test("a vacation reply says plainly that this computer must be on", () => {
  equal(vacationWhere(service), "The service sends replies, also while this computer is off.");
  const here = "Replies are sent only while this computer is on and mailkernel is running.";
  equal(vacationWhere(undefined), here);
  equal(vacationWhere({ ...service, isActive: false }), here);
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
