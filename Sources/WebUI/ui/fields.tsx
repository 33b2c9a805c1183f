import { type InputHTMLAttributes, type ReactNode, useId } from "react";
import { Icon } from "./Icon.tsx";
import { Hidden } from "./states.tsx";

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  label: string;
  /** Which of several it belongs to: read out after the label, where the eye sees it by the place. */
  of?: string;
  hint?: string | null;
  /** The error, shown next to the field and announced by screen readers. */
  problem?: string | null;
  onChange: (value: string) => void;
}

export function TextField({ label, of, hint, problem, onChange, ...rest }: TextFieldProps) {
  const id = useId();
  const about = [hint ? `${id}-hint` : "", problem ? `${id}-problem` : ""].join(" ").trim();
  return (
    <div className="field">
      <FieldLabel htmlFor={id} of={of}>{label}</FieldLabel>
      <input
        id={id}
        className="input"
        aria-invalid={problem ? true : undefined}
        aria-describedby={about || undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
        {...rest}
      />
      {hint && <p id={`${id}-hint`} className="field-hint">{hint}</p>}
      {problem && <FieldProblem id={`${id}-problem`}>{problem}</FieldProblem>}
    </div>
  );
}

function FieldLabel(
  { htmlFor, of, children }: { htmlFor: string; of?: string | undefined; children: string },
) {
  return (
    <label htmlFor={htmlFor}>
      {children}
      {of && <Hidden>{` of ${of}`}</Hidden>}
    </label>
  );
}

export function FieldProblem({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className="field-problem">
      <Icon name="warning" /> {children}
    </p>
  );
}

interface SelectFieldProps<T extends string | number> {
  label: string;
  of?: string;
  value: T;
  options: { value: T; label: string }[];
  hint?: string | null;
  isDisabled?: boolean;
  onChange: (value: T) => void;
}

export function SelectField<T extends string | number>(
  { label, of, value, options, hint, isDisabled, onChange }: SelectFieldProps<T>,
) {
  const id = useId();
  return (
    <div className="field">
      <FieldLabel htmlFor={id} of={of}>{label}</FieldLabel>
      <span className="select">
        <select
          id={id}
          value={String(value)}
          disabled={isDisabled}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onChange={(event) => {
            const chosen = options.find((option) => String(option.value) === event.currentTarget.value);
            if (chosen) onChange(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={String(option.value)}>{option.label}</option>
          ))}
        </select>
        <Icon name="chevronDown" />
      </span>
      {hint && <p id={`${id}-hint`} className="field-hint">{hint}</p>}
    </div>
  );
}

interface SwitchProps {
  label: string;
  isOn: boolean;
  hint?: string | null;
  /** Words elsewhere that are about it. */
  describedBy?: string | undefined;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
}

export function Switch({ label, isOn, hint, describedBy, isDisabled, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="field field-switch">
      <span className="switch-words">
        <label htmlFor={id}>{label}</label>
        {hint && <p id={`${id}-hint`} className="field-hint">{hint}</p>}
      </span>
      <input
        id={id}
        type="checkbox"
        role="switch"
        className="switch"
        checked={isOn}
        disabled={isDisabled}
        aria-describedby={hint ? `${id}-hint` : describedBy}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}
