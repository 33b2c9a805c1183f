import { inOrder } from "../../store/words.ts";

/** So many are named. */
const MOST = 10;

/**
 * The addresses that a service named, besides the account's own.
 *
 * @param found null if it was not asked.
 */
export function addressesSentence(found: string[] | null, own: string): string | null {
  if (!found) return null;
  const others = found.filter((address) => address.toLowerCase() !== own.toLowerCase()).map(inOrder);
  if (others.length === 0) {
    return "The service names no other addresses. If you have aliases, add them under Senders.";
  }
  const more = others.length > MOST ? ` and ${others.length - MOST} more` : "";
  return `Other addresses at the service: ${others.slice(0, MOST).join(", ")}${more}.`;
}
