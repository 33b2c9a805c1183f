import { MOST_DAYS } from "../../store/holding.ts";
import { comingTime } from "../../store/words.ts";

export { MOST_DAYS };

export const MUST_RUN =
  "Messages are sent from this computer: it must be on, with mailkernel running. What is late is sent at the next start.";

/** While the service is asked. */
export const ASKING =
  "Asking your mail service whether it can send the message. If you choose a time now, the message is sent from this computer: it must be on then.";

const DAY_MS = 86_400_000;

/** Until when a service holds messages, in a sentence; none if that is longer than the user can choose. */
export function limitOf(until: Date, now = new Date()): string[] {
  if (until.getTime() - now.getTime() > (MOST_DAYS - 1) * DAY_MS) return [];
  return [
    `The service holds messages until ${comingTime(until, now)}; later ones are sent from this computer.`,
  ];
}
