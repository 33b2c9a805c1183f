import type { Id } from "../jmap/types.ts";
import type { Conversation } from "../store/conversation.ts";
import { CATEGORIES, models } from "../store/categories.ts";
import type { Action, Subject } from "./action.ts";
import { JUDGING } from "./judging.ts";
import { MARKING } from "./marking.ts";
import { MOVING } from "./moving.ts";
import { REMINDING } from "./reminding.ts";

/** An open conversation. */
export interface ConversationSubject extends Subject {
  conversation: Conversation;
  /** Whether the page is dark, and messages with it. */
  isDark: boolean;
}

/** So many messages at the most are unfolded at once. */
const MOST_UNFOLDED = 50;

/** Ways to look at an open conversation. */
export const LOOKING: Action<ConversationSubject>[] = [
  {
    id: "colors",
    label: ({ conversation }) => conversation.isOriginal ? "Show dark colors" : "Show original colors",
    title: "Show messages in their original colors, or in dark ones",
    icon: "contrast",
    keys: ["Shift+O"],
    places: ["menu"],
    applies: ({ isDark }) => isDark,
    run: ({ conversation, isDark }) => isDark ? conversation.toggleColors() : false,
  },
  {
    id: "unfold",
    label: "Expand all messages",
    icon: "chevronDown",
    places: ["menu"],
    isIdle: ({ conversation }) => conversation.ids.length > MOST_UNFOLDED,
    run: ({ conversation }) => conversation.openAll(),
  },
  { id: "print", label: "Print", icon: "print", hint: "Ctrl + P", places: ["menu"], run: () => print() },
];

/** Where a model sorts mail, the user can correct it. */
export const SORTING: Action[] = CATEGORIES.map(([category, title]): Action => ({
  id: `category-${category}`,
  label: `Category: ${title}`,
  icon: "tag",
  places: ["menu", "barMenu"],
  applies: (subject) =>
    !subject.all && models(subject.app).categories === true &&
    newestOf(subject).some(([accountId, id]) => subject.app.categories.get(accountId, id) !== category),
  run: (subject) => {
    const newest = newestOf(subject);
    for (const account of new Set(newest.map(([accountId]) => accountId))) {
      const ids = newest.filter(([accountId]) => accountId === account).map(([, id]) => id);
      subject.app.categories.correct(account, ids, category);
    }
  },
}));

/** A model sorts a conversation by its newest message. */
function newestOf({ targets }: Subject): [accountId: Id, emailId: Id][] {
  return targets.flatMap(({ accountId, emails }): [Id, Id][] => {
    const newest = emails.at(-1);
    return newest ? [[accountId, newest.id]] : [];
  });
}

/** Everything that can be done to conversations, wherever they are. */
export const CONVERSATIONS: Action[] = [...MOVING, ...MARKING, ...JUDGING, ...REMINDING];

/** What the toolbar and the menu of an open conversation offer. */
export const CONVERSATION: Action<ConversationSubject>[] = [...CONVERSATIONS, ...SORTING, ...LOOKING];
