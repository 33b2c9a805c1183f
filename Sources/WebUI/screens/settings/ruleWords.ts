import type { Condition, Field, Rehearsed, Rule, RuleAction, RuleVerb } from "../../jmap/rules.ts";
import { count, counted, size } from "../../store/words.ts";

export const FIELDS: { value: Field; label: string }[] = [
  { value: "from", label: "From contains" },
  { value: "sender", label: "Sender is" },
  { value: "domain", label: "Sender’s domain is" },
  { value: "to", label: "To or Cc contains" },
  { value: "subject", label: "Subject contains" },
  { value: "words", label: "Subject or text contains" },
  { value: "list", label: "Mailing list contains" },
  { value: "larger", label: "Larger than (KB)" },
  { value: "smaller", label: "Smaller than (KB)" },
  { value: "attachment", label: "Has an attachment" },
  { value: "search", label: "Matches the saved search" },
];

export const VERBS: { value: RuleVerb; label: string }[] = [
  { value: "move", label: "Move to" },
  { value: "label", label: "Label" },
  { value: "archive", label: "Archive" },
  { value: "star", label: "Star" },
  { value: "read", label: "Mark as read" },
  { value: "trash", label: "Move to Trash" },
  { value: "forward", label: "Forward to" },
  { value: "notify", label: "Notify me" },
  { value: "stop", label: "Skip later rules" },
];

export function isSize(field: Field): boolean {
  return field === "larger" || field === "smaller";
}

const NOT: Partial<Record<Field, string>> = {
  from: "From does not contain",
  sender: "sender is not",
  domain: "sender’s domain is not",
  to: "To or Cc does not contain",
  subject: "subject does not contain",
  words: "subject and text do not contain",
  list: "mailing list does not contain",
  larger: "not larger than",
  smaller: "not smaller than",
  attachment: "no attachment",
  search: "it does not match the saved search",
};

const IS: Record<Field, string> = {
  from: "From contains",
  sender: "sender is",
  domain: "sender’s domain is",
  to: "To or Cc contains",
  subject: "subject contains",
  words: "subject or text contains",
  list: "mailing list contains",
  larger: "larger than",
  smaller: "smaller than",
  attachment: "has an attachment",
  search: "it matches the saved search",
};

/** The names of saved searches by their ids. */
export type SearchNames = ReadonlyMap<string, string>;

function conditionWords({ field, value, isNegated }: Condition, searches: SearchNames): string {
  const what = (isNegated ? NOT[field] : undefined) ?? IS[field];
  if (field === "search") return `${what} “${searches.get(String(value)) ?? value}”`;
  if (typeof value === "number") return `${what} ${size(value)}`;
  return value === null ? what : `${what} “${value}”`;
}

function actionWords({ verb, value }: RuleAction): string {
  const { label } = VERBS.find((one) => one.value === verb) ?? { label: verb };
  const words = label.charAt(0).toLowerCase() + label.slice(1);
  return value === null ? words : `${words} “${value}”`;
}

/** `When From contains “a”, then move to “B” and star` */
export function ruleWords({ joining, conditions, actions }: Rule, searches: SearchNames = new Map()): string {
  const when = conditions.length === 0
    ? "For every message"
    : `When ${
      conditions.map((one) => conditionWords(one, searches)).join(joining === "all" ? " and " : " or ")
    }`;
  return `${when}, then ${actions.map(actionWords).join(" and ")}.`;
}

/** What a rule is called if the user gives it no name: `Subject contains “a”` */
export function nameOf({ conditions: [first] }: Rule, searches: SearchNames = new Map()): string {
  const words = first ? conditionWords(first, searches) : "every message";
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, 100);
}

/** `It would have acted on 214 of the last 50,000 messages.` */
export function rehearsalWords({ matched, examined }: Rehearsed): string {
  return `It would have acted on ${count(matched)} of the last ${counted(examined, "message")}.`;
}
