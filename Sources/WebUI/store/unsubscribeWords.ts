import type { Question } from "../base/dialogs.ts";
import type { Unsubscribed, UnsubscribeMethod } from "../jmap/senders.ts";
import { spokenDay } from "./words.ts";

/** What will happen, before it does. */
export function unsubscribeQuestion(name: string, { method, target, warning }: UnsubscribeMethod): Question {
  const text = method === "oneClick"
    ? `mailkernel asks ${target} to stop.`
    : method === "mail"
    ? `mailkernel sends a message to ${target}.`
    : `mailkernel opens ${target} in a new tab. Unsubscribe there.`;
  return {
    title: `Unsubscribe from ${name}?`,
    text: warning ? `${text} ${warning}` : text,
    confirm: method === "page" ? "Open page" : "Unsubscribe",
  };
}

/** What has become of it; empty if nothing was done. */
export function unsubscribedWords({ state, method, target, at, isStillSending }: Unsubscribed): string {
  const day = at ? spokenDay(at) : "";
  const isPage = method === "page";
  switch (state) {
    case "none":
      return "";
    case "waiting":
    case "sending":
      return "Unsubscribing…";
    case "failed":
      return `Not unsubscribed: the message to ${target} could not be sent.`;
    case "sent":
      if (isStillSending) {
        return isPage
          ? `Still sending. You opened its unsubscribe page on ${day}.`
          : `Still sending. You unsubscribed on ${day}.`;
      }
      return isPage ? `You opened its unsubscribe page on ${day}.` : `Unsubscribed on ${day}`;
  }
}
