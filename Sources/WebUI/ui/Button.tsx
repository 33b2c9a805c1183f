import { type ButtonHTMLAttributes, forwardRef } from "react";
import { Icon, type IconName } from "./Icon.tsx";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
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
  hint?: string;
}

export const IconButton = forwardRef<HTMLButtonElement, IconButtonProps>(
  function IconButton({ icon, label, hint, className = "", ...rest }, ref) {
    return (
      <button
        ref={ref}
        type="button"
        className={`icon-button ${className}`}
        aria-label={label}
        title={hint ? `${label} (${hint})` : label}
        {...rest}
      >
        <Icon name={icon} />
      </button>
    );
  },
);
