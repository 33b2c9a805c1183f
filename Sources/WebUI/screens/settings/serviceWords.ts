import type { ServiceRules } from "../../jmap/rules.ts";
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

/** Where the rule with this name runs; null if that need not be said. */
export function ruleWhere(service: ServiceRules | undefined, name: string): string | null {
  if (!service?.isWanted || service.obstacle) return null;
  const rule = service.rules.find(({ title }) => title === name);
  if (!rule || rule.isOff) return null;
  if (rule.reason) return `Runs on this computer. ${rule.reason}`;
  return service.isActive ? "Runs at the service." : "Runs on this computer until the service has it.";
}

/** Who sends the vacation reply. */
export function vacationWhere(service: ServiceRules | undefined): string {
  const rule = service?.rules.find(({ title }) => title === VACATION);
  if (service?.isActive && rule && !rule.reason && !rule.isOff) {
    return "The service sends replies, also while this computer is off.";
  }
  const reason = service?.isWanted && rule?.reason ? ` ${rule.reason}` : "";
  return `Replies are sent only while this computer is on and mailkernel is running.${reason}`;
}
