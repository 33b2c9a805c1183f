import type { Action, Subject } from "./action.ts";

/** What waits for a reply. */
export const REMINDING: Action[] = [
  {
    id: "remind",
    label: "Remind me if there is no reply",
    icon: "bell",
    places: ["menu", "rowMenu"],
    applies: hasSent,
    run: (subject) => subject.desk?.choose({ ...subject, verb: "remind" }),
  },
];

/** Whether the user sent one of the messages. */
function hasSent({ app, targets }: Subject): boolean {
  return targets.length > 0 && targets.every(({ accountId, emails }) => {
    const sent = app.account(accountId)?.mailboxes.list.filter(({ role }) => role === "sent") ?? [];
    return emails.some(({ mailboxIds }) => sent.some(({ id }) => mailboxIds[id]));
  });
}
