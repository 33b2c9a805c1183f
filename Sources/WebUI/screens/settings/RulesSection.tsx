import { useEffect, useState } from "react";
import { useAll, useObservable } from "../../base/observable.ts";
import { CAPABILITY } from "../../jmap/program.ts";
import type {
  Rule,
  RuleEntry,
  RuleList,
  RuleProblem,
  ServiceRules,
  VacationResponse,
} from "../../jmap/rules.ts";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { changeEntry } from "../../store/rules.ts";
import { useSave } from "../../store/useTask.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { FieldProblem, Switch } from "../../ui/fields.tsx";
import { ActionRow, Row, Section } from "./Row.tsx";
import { MutedConversations } from "./MutedConversations.tsx";
import { RuleDialog } from "./RuleDialog.tsx";
import { RulesService } from "./RulesService.tsx";
import { RuleTextDialog } from "./RuleTextDialog.tsx";
import { ruleWords } from "./ruleWords.ts";
import { entryPlaces } from "./serviceWords.ts";
import { TurnOnDialog } from "./TurnOnDialog.tsx";
import { useSavedSearches } from "./useSavedSearches.ts";
import { type Begun, useBegun } from "./useBegunRule.ts";
import { VacationRow } from "./VacationRow.tsx";
import "./rules.css";

/** The rules of each account, which the program runs on arriving mail. */
export function RulesSection() {
  const app = useObservable(useApp());
  const begun = useBegun();
  if (!app.client.has(CAPABILITY.rules)) return null;
  return (
    <Section id="rules" title="Rules">
      <ActionRow
        title="Rules for new mail"
        text="Rules run in this order on each message that arrives in the inbox: on this computer while mailkernel is running, or at the service if it supports them."
      />
      {app.accounts.map((account) => (
        <AccountRules
          key={account.id}
          account={account}
          begun={begun?.accountId === account.id ? begun : null}
        />
      ))}
      <MutedConversations />
    </Section>
  );
}

type Edited = { isNew: boolean; rule: Rule | null } | "text" | null;

function AccountRules({ account, begun }: { account: MailAccount; begun: Begun | null }) {
  const app = useApp();
  const lists = app.records<RuleList>("RuleList", account.id);
  const problems = app.records<RuleProblem>("RuleProblem", account.id);
  const services = app.records<ServiceRules>("ServiceRules", account.id);
  const vacations = app.records<VacationResponse>("VacationResponse", account.id);
  useAll([lists, problems, services, vacations]);
  const [edited, setEdited] = useState<Edited>(null);
  useEffect(() => {
    lists.load();
    problems.load();
    services.load();
    vacations.load();
  }, [lists, problems, services, vacations]);
  useEffect(() => {
    if (begun) setEdited({ isNew: true, rule: begun.rule });
  }, [begun]);
  const list = lists.get("singleton");
  if (!list) return null;
  const { entries } = list;
  const [service, vacation] = [services.get("singleton"), vacations.get("singleton")];
  const places = entryPlaces(service, entries);
  const keys = entryKeys(entries);
  return (
    <>
      <ActionRow
        heads={`rules ${account.id}`}
        title={account.name}
        text={entries.length === 0 ? "No rules yet." : null}
      >
        <Button icon="plus" onClick={() => setEdited({ isNew: true, rule: null })}>
          New rule
        </Button>
        <Button icon="code" onClick={() => setEdited("text")} aria-label={`Sieve text of ${account.name}`}>
          Sieve text
        </Button>
      </ActionRow>
      {entries.map((entry, index) => (
        <EntryRow
          key={keys[index]}
          {...{ account, entry, index }}
          where={places[index] ?? null}
          count={entries.length}
          problem={problems.list.find(({ rule }) => entry.kind === "rule" && rule === entry.name)}
          onEdit={() => setEdited(entry.kind === "rule" ? { isNew: false, rule: entry } : "text")}
        />
      ))}
      {problems.list.filter(({ rule }) => !entries.some((one) => one.kind === "rule" && one.name === rule))
        .map(
          (problem) => (
            <Row key={problem.id} about={problem.sentence}>
              <FieldProblem>{`${problem.rule}: ${problem.sentence}`}</FieldProblem>
            </Row>
          ),
        )}
      {service && <RulesService {...{ account, service }} />}
      {vacation && <VacationRow {...{ account, vacation, service }} />}
      {edited === "text" && (
        <RuleTextDialog
          {...{ account }}
          text={list.text}
          onClose={() => setEdited(null)}
        />
      )}
      {edited && edited !== "text" && (
        <RuleDialog
          {...{ account, ...edited }}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}

interface EntryProps {
  account: MailAccount;
  entry: RuleEntry;
  index: number;
  count: number;
  /** Where it runs, if that is to be said. */
  where: string | null;
  problem: RuleProblem | undefined;
  onEdit: () => void;
}

function EntryRow({ account, entry, index, count, where, problem, onEdit }: EntryProps) {
  const app = useApp();
  const { save, isSaving } = useSave();
  const searches = useSavedSearches();
  const [isAsked, setAsked] = useState(false);
  const change = (edit: (entries: RuleEntry[], index: number) => RuleEntry[]) =>
    save(() => changeEntry(app, account.id, entry, edit));
  const name = entry.kind === "rule" ? entry.name : "Sieve text";
  // Buttons that were disabled would lose the focus, so they only do nothing.
  const move = (by: number) => {
    const isPossible = index + by >= 0 && index + by < count;
    if (isPossible && !isSaving) void change((entries, index) => moved(entries, index, by));
  };
  const remove = async () => {
    const isSure = await app.dialogs.confirm({
      title: `Delete the rule “${name}”?`,
      confirm: "Delete",
      isDestructive: true,
    });
    if (isSure) await change((entries, index) => entries.filter((_, other) => other !== index));
  };
  /** Throws if it cannot be done: another window may have changed the rule. */
  const set = (rule: Rule, isOn: boolean) =>
    changeEntry(
      app,
      account.id,
      rule,
      (entries, index) => entries.map((one, other) => other === index ? { ...rule, isOn } : one),
    );
  const turn = (rule: Rule, isOn: boolean) => {
    // A rule says what it would have done before it is turned on.
    if (isSaving) return;
    if (isOn) setAsked(true);
    else void save(() => set(rule, false));
  };
  return (
    <Row about={`Rule ${name}`} className="rule" list={`rules ${account.id}`}>
      <div className="rule-words">
        {entry.kind === "rule"
          ? (
            <Switch
              label={name}
              hint={ruleWords(entry, searches)}
              isOn={entry.isOn}
              onChange={(isOn) => turn(entry, isOn)}
            />
          )
          : <pre className="rule-text" aria-label="Sieve text" tabIndex={0}>{entry.text}</pre>}
        {where && <p className="field-hint">{where}</p>}
        {problem && <FieldProblem>{problem.sentence}</FieldProblem>}
      </div>
      <div className="setting-buttons">
        <Button onClick={onEdit} aria-label={`Edit “${name}”`}>Edit</Button>
        <IconButton
          icon="chevronUp"
          label={`Move “${name}” up`}
          problem={index === 0 ? "This is the first rule." : null}
          onClick={() => move(-1)}
        />
        <IconButton
          icon="chevronDown"
          label={`Move “${name}” down`}
          problem={index === count - 1 ? "This is the last rule." : null}
          onClick={() => move(1)}
        />
        <IconButton icon="trash" label={`Delete “${name}”`} onClick={remove} />
      </div>
      {isAsked && entry.kind === "rule" && (
        <TurnOnDialog
          {...{ account }}
          script={{ rule: entry }}
          title={`Turn on the rule “${name}”?`}
          confirm="Turn on"
          back="Cancel"
          onBack={() => setAsked(false)}
          save={() => set(entry, true).then(() => ({ rule: entry }))}
          onDone={() => setAsked(false)}
        />
      )}
    </Row>
  );
}

/** A rule that is moved stays the same row, so that it keeps the focus. */
function entryKeys(entries: RuleEntry[]): string[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const name = entry.kind === "rule" ? `rule ${entry.name}` : "text";
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return `${name} ${seen.get(name)}`;
  });
}

function moved(entries: RuleEntry[], index: number, by: number): RuleEntry[] {
  const all = [...entries];
  const [entry] = all.splice(index, 1);
  if (entry) all.splice(index + by, 0, entry);
  return all;
}
