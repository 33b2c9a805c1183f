import type { Conversation } from "../store/conversation.ts";
import { CATEGORIES, models } from "../store/categories.ts";
import type { Action, Subject } from "./action.ts";
import { JUDGING } from "./judging.ts";
import { MARKING } from "./marking.ts";
import { MOVING } from "./moving.ts";

/** An open conversation. */
export interface ConversationSubject extends Subject {
  conversation: Conversation;
}

/** So many messages at the most are unfolded at once. */
const MOST_UNFOLDED = 50;

const LOOKING: Action<ConversationSubject>[] = [
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
const SORTING = CATEGORIES.map(([category, title]): Action<ConversationSubject> => ({
  id: `category-${category}`,
  label: `Category: ${title}`,
  icon: "tag",
  places: ["menu"],
  applies: ({ app, conversation }) => {
    const newest = conversation.emails.at(-1);
    if (!newest || !models(app).categories) return false;
    return app.categories.get(conversation.accountId, newest.id) !== category;
  },
  run: ({ app, conversation }) => {
    const newest = conversation.emails.at(-1);
    if (newest) app.categories.correct(conversation.accountId, [newest.id], category);
  },
}));

/** Everything that can be done to conversations, wherever they are. */
export const CONVERSATIONS: Action[] = [...MOVING, ...MARKING, ...JUDGING];

/** What the toolbar and the menu of an open conversation offer. */
export const CONVERSATION: Action<ConversationSubject>[] = [...CONVERSATIONS, ...SORTING, ...LOOKING];
