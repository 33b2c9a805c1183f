import type { RuleEntry, ServiceRules } from "../../jmap/rules.ts";
import { VACATION } from "../../store/serviceRules.ts";
import { fullTime } from "../../store/words.ts";

/** What is to be said about rules at the service. */
export function serviceWords(service: ServiceRules): string {
  if (!service.isWanted) {
    return service.mayBeThere
      ? "Waiting for the service to stop running them. From then on, all rules run on this computer."
      : "All rules run on this computer.";
  }
  if (service.isActive) {
    return "Rules marked “Runs at the service” also run while this computer is off. All others run on this computer.";
  }
  if (service.question) return "Until you decide, all rules run on this computer.";
  if (service.checkedAt && !service.rules.some(({ isOff, reason }) => !isOff && reason === null)) {
    return "None of these rules can run at the service. They run on this computer.";
  }
  return "Waiting for the service. Until then, the rules run on this computer.";
}

/** What is uncertain while the service does not respond; null if nothing is. */
export function uncertainWords(service: ServiceRules): string | null {
  if (!service.problem) return null;
  const since = service.problemSince ? ` since ${fullTime(service.problemSince)}` : "";
  const failed = `The service could not be checked${since}: ${service.problem}`;
  if (!service.mayBeThere) return failed;
  const what = service.isWanted
    ? "The service may still be running an earlier version of the rules."
    : "The service may still be running the rules.";
  return `${failed} ${what} mailkernel runs only the rules that the service has not run on a message.`;
}

/**
 * Where each entry of the rules runs; null if that need not be said.
 *
 * The service was checked by the parts of the script: a rule is one of them, and a text is all those up to the next rule.
 */
export function entryPlaces(service: ServiceRules | undefined, entries: RuleEntry[]): (string | null)[] {
  if (!service?.isWanted || service.obstacle) return entries.map(() => null);
  const { rules: parts, isActive } = service;
  const isRule = (entry: RuleEntry | undefined, at: number) =>
    entry?.kind === "rule" && parts[at]?.title === entry.name;
  let next = 0;
  return entries.map((entry, index) => {
    const first = next;
    if (entry.kind === "rule") {
      // Rules that were moved since are found by their names.
      const at = isRule(entry, first) ? first : parts.findIndex((_, at) => isRule(entry, at));
      if (at < 0) return null;
      next = at + 1;
      return placeWords(parts.slice(at, next), isActive);
    }
    const following = entries[index + 1];
    next = first + 1;
    while (next < parts.length && !isRule(following, next)) next += 1;
    // If the rule after it is not there, the end of the text is not known.
    if (following && next >= parts.length) return null;
    return placeWords(parts.slice(first, next), isActive);
  });
}

function placeWords(parts: ServiceRules["rules"], isActive: boolean): string | null {
  const on = parts.filter(({ isOff }) => !isOff);
  const here = on.find(({ reason }) => reason !== null);
  if (on.length === 0) return null;
  if (here && on[0] !== here && isActive) {
    return `The first part runs at the service, the rest on this computer. ${here.reason}`;
  }
  if (here) return `Runs on this computer. ${here.reason}`;
  return isActive ? "Runs at the service." : "Runs on this computer until the service has it.";
}

/** Who sends the vacation reply. */
export function vacationWhere(service: ServiceRules | undefined, isAtService = false): string {
  if (isAtService) return AT_SERVICE;
  const rule = service?.rules.find(({ title }) => title === VACATION);
  if (service?.isActive && rule && !rule.reason && !rule.isOff) {
    return AT_SERVICE;
  }
  const reason = service?.isWanted && rule?.reason ? ` ${rule.reason}` : "";
  return `Replies are sent only while this computer is on and mailkernel is running.${reason}`;
}

const AT_SERVICE = "The service sends replies, also while this computer is off.";
