import { type FormEvent, useEffect, useRef, useState } from "react";
import { words } from "../../jmap/errors.ts";
import type { StoreChoice, StoreSetting } from "../../jmap/program.ts";
import { type App, PROGRAM, useApp } from "../../store/app.ts";
import { Button } from "../../ui/Button.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Banner, Spinner } from "../../ui/states.tsx";
import { untilItAnswers } from "../settings/restarts.ts";

interface Refusal {
  problem: string | null;
  setting: string | null;
}

interface StoreFormProps {
  choice: StoreChoice;
  onCancel: () => void;
}

/** Asks for what a store needs, tries it, and restarts the program with it. */
export function StoreForm({ choice, onCancel }: StoreFormProps) {
  const [values, setValues] = useState<Record<string, string>>({});
  const { phase, refusal, send } = useTrial(choice);
  const form = useRef<HTMLFormElement>(null);
  const [first] = choice.settings;
  useEffect(() => {
    const name = refusal?.setting ?? first?.name;
    if (refusal && name) form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`)?.focus();
  }, [refusal, first]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (phase === "form") send(values);
  };
  return (
    <form ref={form} className="sign-in" onSubmit={submit} noValidate>
      <p className="step-lead">{choice.description}</p>
      {refusal?.problem && !refusal.setting && (
        <div role="alert">
          <Banner icon="warning" kind="problem">{refusal.problem}</Banner>
        </div>
      )}
      {choice.settings.map((setting) => (
        <Field
          key={setting.name}
          setting={setting}
          value={values[setting.name] ?? ""}
          problem={refusal?.setting === setting.name ? refusal.problem : null}
          onChange={(value) => setValues({ ...values, [setting.name]: value })}
        />
      ))}
      <div role="status">{phase !== "form" && <Waiting phase={phase} />}</div>
      <div className="sign-in-actions">
        <Button disabled={phase === "restarting"} onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={phase !== "form"}>
          {choice.isRemote ? "Use This Server" : "Use This Computer"}
        </Button>
      </div>
    </form>
  );
}

function Waiting({ phase }: { phase: "trying" | "restarting" }) {
  const text = phase === "trying" ? "Opening the store" : "mailkernel is restarting";
  return (
    <p className="storage-waits">
      <Spinner label={text} /> {text}…
    </p>
  );
}

interface FieldProps {
  setting: StoreSetting;
  value: string;
  problem: string | null;
  onChange: (value: string) => void;
}

function Field({ setting, value, problem, onChange }: FieldProps) {
  return (
    <TextField
      name={setting.name}
      label={setting.isRequired ? setting.title : `${setting.title} (optional)`}
      type={setting.kind === "secret" ? "password" : "text"}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      required={setting.isRequired}
      value={value}
      hint={setting.explanation}
      problem={problem}
      onChange={onChange}
    />
  );
}

/** A try ends when the form is left. */
function useTrial(choice: StoreChoice) {
  const app = useApp();
  const [phase, setPhase] = useState<"form" | "trying" | "restarting">("form");
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const send = async (values: Record<string, string>) => {
    const mine = current.current = new AbortController();
    setRefusal(null);
    setPhase("trying");
    const answer = await tryStore(app, choice, values, mine.signal);
    if (mine.signal.aborted) return;
    if (answer.problem === null) {
      setPhase("restarting");
      if (await hasRestarted(app, choice)) return location.reload();
      answer.problem = "mailkernel did not start again. Start it yourself, then reload this page.";
    }
    setRefusal(answer);
    setPhase("form");
  };
  return { phase, refusal, send };
}

async function tryStore(
  { client }: App,
  { id: pluginId }: StoreChoice,
  values: Record<string, string>,
  end: AbortSignal,
): Promise<Refusal> {
  const batch = client.batch();
  const { answer } = batch.add<Refusal & Record<string, unknown>>("Program/useStore", {
    accountId: PROGRAM,
    pluginId,
    values,
  });
  batch.send(end);
  return await answer.then(
    ({ problem, setting }) => ({ problem, setting }),
    (error) => ({ problem: words(error), setting: null }),
  );
}

/** Until then the program that answers is the one before, or none. */
function hasRestarted({ client, mailStore }: App, { id }: StoreChoice): Promise<boolean> {
  return untilItAnswers(() =>
    client.call<{ list: { pluginId: string }[] }>("Store/get", { accountId: mailStore.accountId, ids: null })
      .then(({ list }) => list[0]?.pluginId === id, () => false)
  );
}
