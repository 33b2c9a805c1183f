import { type FormEvent, useState } from "react";
import { addRule, changeEntry, condition, doesTheSame } from "../../store/rules.ts";
import type { Condition, Rule, RuleAction } from "../../jmap/rules.ts";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FieldProblem, SelectField, TextField } from "../../ui/fields.tsx";
import { RehearsalPanel } from "./RehearsalPanel.tsx";
import { ActionFields, ConditionFields } from "./RuleFields.tsx";
import { nameOf } from "./ruleWords.ts";
import { TurnOnDialog } from "./TurnOnDialog.tsx";
import { useSavedSearches } from "./useSavedSearches.ts";

interface Props {
  account: MailAccount;
  /** Whether it is not among the entries yet. */
  isNew: boolean;
  rule: Rule | null;
  onClose: () => void;
}

const NEW: Rule = { kind: "rule", name: "", isOn: true, joining: "all", conditions: [], actions: [] };

/** Edits a rule, in words. */
export function RuleDialog({ account, isNew, rule, onClose }: Props) {
  const app = useApp();
  const { isBusy, problem, run } = useTask();
  const [edited, setEdited] = useState<Rule>(() => begin(rule ?? NEW));
  const [isRehearsed, setRehearsed] = useState(false);
  const searches = useSavedSearches();
  const set = (values: Partial<Rule>) => setEdited({ ...edited, ...values });
  const isReady = isComplete(edited);
  const suggested = isReady ? nameOf(edited, searches) : "";
  const saved = { ...edited, name: edited.name.trim() || suggested };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !isReady) return;
    // A rule that is new, or does something else than before, says first what it would have done.
    if (isNew || !rule || rule.isOn && !doesTheSame(rule, saved)) return setRehearsed(true);
    if (await run(() => change(rule))) onClose();
  };
  const change = (rule: Rule) =>
    changeEntry(app, account.id, rule, (entries, index) => replaced(entries, index, saved));
  const keep = async () => {
    if (isNew || !rule) return { rule: { ...saved, name: await addRule(app, account.id, saved) } };
    await change(rule);
    return { rule: saved };
  };
  if (isRehearsed) {
    return (
      <TurnOnDialog
        {...{ account }}
        script={{ rule: saved }}
        title={isNew ? `Turn on the rule “${saved.name}”?` : `Save the rule “${saved.name}”?`}
        confirm={isNew ? "Turn on" : "Save"}
        back="Back"
        onBack={() => setRehearsed(false)}
        save={keep}
        onDone={onClose}
      />
    );
  }
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="rule" disabled={isBusy || !isReady}>
        {isNew || rule?.isOn && !doesTheSame(rule, edited) ? "Save…" : "Save"}
      </Button>
    </>
  );
  return (
    <Dialog title={isNew ? "New rule" : "Edit rule"} isWide onClose={onClose} footer={buttons}>
      <form id="rule" className="form" noValidate onSubmit={save}>
        <TextField
          label="Name"
          data-autofocus
          autoComplete="off"
          maxLength={200}
          placeholder={suggested}
          value={edited.name}
          onChange={(name) => set({ name })}
        />
        <fieldset className="rule-part">
          <legend>When a message arrives</legend>
          {edited.conditions.length > 1 && (
            <SelectField
              label="Conditions"
              value={edited.joining}
              options={[{ value: "all", label: "All of these" }, { value: "any", label: "Any of these" }]}
              onChange={(joining) => set({ joining })}
            />
          )}
          {edited.conditions.map((one, number) => (
            <ConditionFields
              key={number}
              number={number + 1}
              condition={one}
              onChange={(changed) => set({ conditions: replaced(edited.conditions, number, changed) })}
            />
          ))}
          <Button
            icon="plus"
            data-list-head="conditions"
            onClick={() => set({ conditions: [...edited.conditions, condition("from", "")] })}
          >
            Add condition
          </Button>
        </fieldset>
        <fieldset className="rule-part">
          <legend>Then</legend>
          {edited.actions.map((one, number) => (
            <ActionFields
              key={number}
              number={number + 1}
              account={account}
              action={one}
              onChange={(changed) => set({ actions: replaced(edited.actions, number, changed) })}
            />
          ))}
          <Button
            icon="plus"
            data-list-head="actions"
            onClick={() => set({ actions: [...edited.actions, { verb: "star", value: null }] })}
          >
            Add action
          </Button>
        </fieldset>
        <RehearsalPanel account={account} rule={isComplete(edited) ? edited : null} />
        {problem && <FieldProblem>{problem}</FieldProblem>}
      </form>
    </Dialog>
  );
}

/** A new rule begins with one condition and one action. */
function begin(rule: Rule): Rule {
  const conditions = rule.conditions.length > 0 || rule.actions.length > 0
    ? rule.conditions
    : [condition("from", "")];
  return {
    ...rule,
    conditions,
    actions: rule.actions.length > 0 ? rule.actions : [{ verb: "move", value: "" }],
  };
}

function isComplete({ conditions, actions }: Rule): boolean {
  const isFilled = ({ value }: Condition | RuleAction) => value !== "";
  return actions.length > 0 && conditions.every(isFilled) && actions.every(isFilled);
}

/** The list with another element in a place, or with none there. */
function replaced<T>(list: T[], index: number, element: T | null): T[] {
  return list.flatMap((one, other) => other === index ? element === null ? [] : [element] : [one]);
}
