import type { Condition, Field, RuleAction, RuleVerb } from "../../jmap/rules.ts";
import { useObservable } from "../../base/observable.ts";
import type { MailAccount } from "../../store/parts.ts";
import { mailboxPath } from "../../store/rules.ts";
import { IconButton } from "../../ui/Button.tsx";
import { SelectField, TextField } from "../../ui/fields.tsx";
import { useRowFocus } from "../../ui/rowFocus.ts";
import { FIELDS, isSize, type SearchNames, VERBS } from "./ruleWords.ts";
import { useSavedSearches } from "./useSavedSearches.ts";

interface ConditionProps {
  number: number;
  condition: Condition;
  /** Null: it is removed. */
  onChange: (condition: Condition | null) => void;
}

export function ConditionFields({ number, condition, onChange }: ConditionProps) {
  const { field, value, isNegated } = condition;
  const of = `condition ${number}`;
  const searches = useSavedSearches();
  const row = useRowFocus<HTMLDivElement>("conditions");
  const choose = (chosen: Field) => {
    // The id of a search is no text to keep, nor is a text an id.
    const isKept = typeof value === "string" && field !== "search" && chosen !== "search";
    const kept = chosen === "attachment" ? null : isSize(chosen) ? 102_400 : isKept ? value : "";
    onChange({ ...condition, field: chosen, value: kept });
  };
  return (
    <div {...row} className="rule-line">
      <SelectField
        label="Is"
        of={of}
        value={isNegated ? "not" : "so"}
        options={[{ value: "so", label: "If" }, { value: "not", label: "If not" }]}
        onChange={(chosen) => onChange({ ...condition, isNegated: chosen === "not" })}
      />
      <SelectField label="What" of={of} value={field} options={FIELDS} onChange={choose} />
      {field === "search" && (
        <SelectField
          label="Search"
          of={of}
          value={String(value)}
          options={searchOptions(searches, String(value))}
          onChange={(id) => onChange({ ...condition, value: id })}
        />
      )}
      {typeof value === "string" && field !== "search" && (
        <TextField
          label="Text"
          of={of}
          autoComplete="off"
          maxLength={500}
          value={value}
          onChange={(text) => onChange({ ...condition, value: text })}
        />
      )}
      {typeof value === "number" && (
        <TextField
          label="KB"
          of={of}
          type="number"
          min={0}
          value={Math.round(value / 1024)}
          onChange={(text) => onChange({ ...condition, value: Math.max(0, Number(text) || 0) * 1024 })}
        />
      )}
      <IconButton icon="minus" label={`Remove ${of}`} onClick={() => onChange(null)} />
    </div>
  );
}

function searchOptions(searches: SearchNames, chosen: string) {
  const known = [...searches].map(([value, label]) => ({ value, label }));
  // One that is gone stays chosen, so that it is seen.
  const isGone = chosen !== "" && !searches.has(chosen);
  const first = { value: "", label: searches.size > 0 ? "Choose…" : "No saved searches" };
  return [first, ...(isGone ? [{ value: chosen, label: chosen }] : []), ...known];
}

interface ActionProps {
  number: number;
  account: MailAccount;
  action: RuleAction;
  onChange: (action: RuleAction | null) => void;
}

export function ActionFields({ number, account, action, onChange }: ActionProps) {
  const { verb, value } = action;
  const of = `action ${number}`;
  const row = useRowFocus<HTMLDivElement>("actions");
  const verbs = VERBS.filter((one) => one.value !== "label" || account.hasLabels || verb === "label");
  const choose = (verb: RuleVerb) =>
    onChange({ verb, value: ["move", "label", "forward"].includes(verb) ? "" : null });
  return (
    <div {...row} className="rule-line">
      <SelectField label="Do" of={of} value={verb} options={verbs} onChange={choose} />
      {(verb === "move" || verb === "label") && (
        <MailboxField
          account={account}
          of={of}
          path={value ?? ""}
          onChange={(path) => onChange({ verb, value: path })}
        />
      )}
      {verb === "forward" && (
        <TextField
          label="Address"
          of={of}
          type="email"
          autoComplete="off"
          value={value ?? ""}
          onChange={(address) => onChange({ verb, value: address })}
        />
      )}
      <IconButton icon="minus" label={`Remove ${of}`} onClick={() => onChange(null)} />
    </div>
  );
}

function MailboxField(
  { account, of, path, onChange }: {
    account: MailAccount;
    of: string;
    path: string;
    onChange: (path: string) => void;
  },
) {
  const { list } = useObservable(account.mailboxes);
  const paths = list.filter(({ role }) => !["inbox", "sent", "drafts", "all", "flagged"].includes(role ?? ""))
    .map((mailbox) => mailboxPath(mailbox, list)).sort((left, right) => left.localeCompare(right));
  // A folder that is gone stays chosen, so that it is seen.
  const known = path === "" || paths.includes(path) ? paths : [path, ...paths];
  const options = [{ value: "", label: "Choose…" }, ...known.map((one) => ({ value: one, label: one }))];
  return (
    <SelectField
      label={account.hasLabels ? "Label" : "Folder"}
      of={of}
      value={path}
      options={options}
      onChange={onChange}
    />
  );
}
