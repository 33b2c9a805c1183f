import { CAPABILITY } from "../jmap/program.ts";
import type { Sender } from "../jmap/senders.ts";
import type { Id } from "../jmap/types.ts";
import type { Action, Subject } from "./action.ts";
import { openSettings } from "./openSettings.ts";
import { block } from "./ruling.ts";
import { showMail } from "./showMail.ts";

/** One of the senders of an account. */
export interface SenderSubject extends Subject {
  accountId: Id;
  sender: Sender;
  /** Null if the newest message is of no list, or that was left. */
  unsubscribe: (() => void) | null;
  archive: () => void;
}

const hasRules = ({ app }: Subject) => app.client.has(CAPABILITY.rules);

/** What can be done about a sender. */
export const SENDER: Action<SenderSubject>[] = [
  {
    id: "unsubscribeSender",
    label: "Unsubscribe",
    title: "Unsubscribe from the sender",
    icon: "mute",
    places: ["senderRow"],
    applies: ({ unsubscribe }) => unsubscribe !== null,
    run: ({ unsubscribe }) => unsubscribe?.(),
  },
  {
    id: "showSender",
    label: "Show messages",
    icon: "search",
    places: ["senderMenu"],
    run: ({ app, sender }) => showMail(app, ["search"], { q: `from:${sender.email}`, in: "all/inbox" }),
  },
  {
    id: "archiveSender",
    label: "Archive all in the inbox",
    icon: "archive",
    places: ["senderMenu"],
    run: ({ archive }) => archive(),
  },
  {
    id: "ruleForSender",
    label: "Create rule…",
    title: "Create a rule for the sender",
    icon: "filter",
    places: ["senderMenu"],
    applies: hasRules,
    run: ({ app, accountId, sender }) => openSettings(app, "rules", accountId, sender.lastEmailId, "sender"),
  },
  {
    id: "blockFromSenders",
    label: "Block this sender",
    icon: "close",
    places: ["senderMenu"],
    applies: hasRules,
    run: ({ app, accountId, sender }) => void block(app, accountId, sender.email),
  },
];

/** What the list of senders offers besides. */
export const SENDERS: Action<Subject & { leave: () => void; search: () => void }>[] = [
  {
    id: "leaveSenders",
    label: "Back to your mail",
    icon: "back",
    keys: ["Escape"],
    places: ["back"],
    run: ({ leave }) => leave(),
  },
  {
    id: "searchSenders",
    label: "Search senders",
    icon: "search",
    keys: ["/", "Mod+F"],
    opensField: true,
    run: ({ search }) => search(),
  },
];
