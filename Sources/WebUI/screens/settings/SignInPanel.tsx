import { type FormEvent, useEffect, useRef, useState } from "react";
import type { FormField, SignIn } from "../../jmap/accounts.ts";
import type { Id } from "../../jmap/types.ts";
import { Button } from "../../ui/Button.tsx";
import { SelectField, TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Spinner } from "../../ui/states.tsx";
import { type SignInStart, useSignIn } from "./useSignIn.ts";

interface SignInPanelProps {
  start: SignInStart;
  /** “Gmail”, for sentences. */
  serviceName: string;
  helpUrl?: string | null;
  onDone: (added: Id[], remark: string | null) => void;
  onCancel: () => void;
}

/** Guides through a sign-in, for any plugin: forms, the service's page, retries. */
export function SignInPanel({ start, serviceName, helpUrl = null, onDone, onCancel }: SignInPanelProps) {
  const { signIn, problem, isGone, begin, answer, retry } = useSignIn(start);
  const isOver = signIn?.state === "done";
  const isDeclined = signIn?.state === "failed" && signIn.problem === null;
  useEffect(() => {
    if (isOver) onDone(signIn.addedAccountIds, [signIn.problem, signIn.reason].filter(Boolean).join(" "));
    if (isDeclined) onCancel();
  }, [isOver, isDeclined]);

  if (isGone) return <Failure {...GONE} again="Start again" retry={begin} onCancel={onCancel} />;
  const failure = problem ?? (signIn?.state === "failed" ? signIn.problem : null);
  if (failure && signIn?.state !== "form") {
    const reason = problem ? null : signIn?.reason ?? null;
    return <Failure text={failure} reason={reason} retry={retry} onCancel={onCancel} />;
  }
  if (signIn?.state === "browser") {
    return <InBrowser url={signIn.url ?? ""} serviceName={serviceName} onCancel={onCancel} />;
  }
  if (signIn?.state === "code") {
    return <WithCode signIn={signIn} serviceName={serviceName} onCancel={onCancel} />;
  }
  if (signIn?.state !== "form") return <Connecting serviceName={serviceName} onCancel={onCancel} />;
  return (
    <Form
      key={signIn.fields?.map((field) => field.name).join()}
      signIn={signIn}
      problem={problem}
      helpUrl={helpUrl}
      onAnswer={answer}
      onCancel={onCancel}
    />
  );
}

const GONE = {
  text: "mailkernel was restarted, which ended this sign-in.",
  reason: "Your input was not saved.",
};

function Connecting({ serviceName, onCancel }: { serviceName: string; onCancel: () => void }) {
  return (
    <div className="sign-in sign-in-waits">
      <Spinner label={`Connecting to ${serviceName}`} />
      <p>Connecting to {serviceName}…</p>
      <Button onClick={onCancel}>Cancel</Button>
    </div>
  );
}

interface FormProps {
  signIn: SignIn;
  problem: string | null;
  helpUrl: string | null;
  onAnswer: (form: Record<string, string>) => Promise<void>;
  onCancel: () => void;
}

function Form({ signIn, problem, helpUrl, onAnswer, onCancel }: FormProps) {
  const fields = signIn.fields ?? [];
  const [values, setValues] = useState(() =>
    Object.fromEntries(fields.map((field) => [field.name, first(field)]))
  );
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const wrong = signIn.problemField;
  const general = problem ?? (wrong ? null : signIn.problem);
  useEffect(() => {
    const target = wrong ? `[name="${CSS.escape(wrong)}"]` : "input, select";
    form.current?.querySelector<HTMLElement>(target)?.focus();
  }, [wrong, signIn.problem]);

  async function send(event: FormEvent) {
    event.preventDefault();
    setSending(true);
    await onAnswer(values);
    setSending(false);
  }

  return (
    <form ref={form} className="sign-in" onSubmit={send} noValidate>
      {general && <Problem text={general} reason={signIn.reason} />}
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={values[field.name] ?? ""}
          problem={wrong === field.name ? signIn.problem : null}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      {helpUrl && (
        <p className="field-hint">
          <a href={helpUrl} target="_blank" rel="noopener noreferrer">Where to find this information</a>
        </p>
      )}
      <div className="sign-in-actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isSending}>Continue</Button>
      </div>
    </form>
  );
}

interface FieldProps {
  field: FormField;
  value: string;
  problem: string | null;
  onChange: (value: string) => void;
}

function Field({ field, value, problem, onChange }: FieldProps) {
  // A choice always has a value.
  const label = field.isRequired || field.kind === "choice" ? field.label : `${field.label} (optional)`;
  if (field.kind === "choice") {
    return (
      <SelectField
        label={label}
        value={value}
        options={field.choices ?? []}
        hint={field.hint}
        onChange={onChange}
      />
    );
  }
  return (
    <TextField
      name={field.name}
      label={label}
      type={field.kind === "password" ? "password" : "text"}
      inputMode={field.kind === "email" ? "email" : field.kind === "port" ? "numeric" : "text"}
      autoComplete={autoComplete(field)}
      autoCapitalize={field.kind === "text" ? "words" : "none"}
      spellCheck={false}
      required={field.isRequired}
      value={value}
      hint={field.hint}
      problem={problem}
      onChange={onChange}
    />
  );
}

function InBrowser(
  { url, serviceName, onCancel }: { url: string; serviceName: string; onCancel: () => void },
) {
  const [isOpen, setOpen] = useState(true);
  useEffect(() => {
    const page = open(url, "_blank");
    // The service's page must not access this one.
    if (page) page.opener = null;
    setOpen(page !== null);
  }, [url]);
  return (
    <div className="sign-in sign-in-waits" role="status">
      <Icon name="link" className="sign-in-icon" />
      {isOpen
        ? <p>Sign in to {serviceName} in the new tab. Setup then continues here.</p>
        : <p>Your browser blocked the page of {serviceName}.</p>}
      <div className="sign-in-actions">
        <Button onClick={onCancel}>Cancel</Button>
        <a
          className={`button ${isOpen ? "" : "button-primary"}`}
          href={url}
          target="_blank"
          rel="noopener noreferrer"
        >
          {isOpen ? "Open it again" : `Open ${serviceName}`}
        </a>
      </div>
    </div>
  );
}

/** A code for another page, which may be open on another device. */
function WithCode(
  { signIn, serviceName, onCancel }: { signIn: SignIn; serviceName: string; onCancel: () => void },
) {
  return (
    <div className="sign-in sign-in-waits" role="status">
      <p>
        To sign in to{" "}
        {serviceName}, open this page on any device and enter the code. Setup then continues here.
      </p>
      <p className="sign-in-page">
        <a href={signIn.url ?? ""} target="_blank" rel="noopener noreferrer">{signIn.page}</a>
      </p>
      <p className="sign-in-code">{signIn.code}</p>
      <div className="sign-in-actions">
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </div>
  );
}

function Failure(
  { text, reason, again = "Retry", retry, onCancel }: {
    text: string;
    reason: string | null;
    /** What the way on is called. */
    again?: string;
    retry: () => void;
    onCancel: () => void;
  },
) {
  return (
    <div className="sign-in">
      <Problem text={text} reason={reason} />
      <div className="sign-in-actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" icon="refresh" autoFocus onClick={retry}>{again}</Button>
      </div>
    </div>
  );
}

function Problem({ text, reason }: { text: string; reason: string | null }) {
  return (
    <div className="sign-in-problem" role="alert">
      <Icon name="warning" />
      <div>
        <p>{text}</p>
        {reason && <p className="sign-in-reason">{reason}</p>}
      </div>
    </div>
  );
}

function first(field: FormField): string {
  return field.initialValue || (field.kind === "choice" ? field.choices?.[0]?.value ?? "" : "");
}

function autoComplete(field: FormField): string {
  if (field.kind === "email") return "email";
  return field.kind === "password" ? "current-password" : "off";
}
