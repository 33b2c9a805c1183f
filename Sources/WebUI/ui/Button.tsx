import { type ButtonHTMLAttributes, forwardRef } from "react";
import { Icon, type IconName } from "./Icon.tsx";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "plain" | "primary" | "danger" | "quiet";
  icon?: IconName;
}

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(
  function Button({ kind = "plain", icon, children, className = "", ...rest }, ref) {
    return (
      <button ref={ref} type="button" className={`button button-${kind} ${className}`} {...rest}>
        {icon && <Icon name={icon} />}
        <span>{children}</span>
      </button>
    );
  },
);

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName;
  /** What a screen reader says and a pointer sees. */
  label: string;
  /** The key that does the same, shown beside the label. */
  hint?: string | undefined;
  /** Why it does nothing. It can still be pressed, so that the reason can be found by keyboard, too. */
  problem?: string | null | undefined;
}

/** What a pointer sees: the label with its key, or with the reason why it does nothing. */
export function titleOf(
  { label, hint, problem }: Pick<IconButtonProps, "label" | "hint" | "problem">,
): string {
  return problem ? `${label}: ${problem}` : hint ? `${label} (${hint})` : label;
}

export const IconButton = forwardRef<HTMLButtonElement, IconButtonProps>(
  function IconButton({ icon, label, hint, problem, className = "", ...rest }, ref) {
    return (
      <button
        ref={ref}
        type="button"
        className={`icon-button ${className}`}
        aria-label={label}
        title={titleOf({ label, hint, problem })}
        aria-disabled={problem ? true : undefined}
        {...rest}
      >
        <Icon name={icon} />
      </button>
    );
  },
);
