import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import { Icon, type IconName } from "./Icon.tsx";

interface EmptyStateProps {
  icon: IconName;
  title: string;
  text?: string;
  action?: { label: string; run: () => void };
  /** It is the whole screen, so its title is the heading. */
  isScreen?: boolean;
}

/** An empty place: what, why, and an action. */
export function EmptyState({ icon, title, text, action, isScreen }: EmptyStateProps) {
  const Title = isScreen ? "h1" : "p";
  return (
    <div className="empty">
      <Icon name={icon} className="empty-icon" />
      <Title className="empty-title">{title}</Title>
      {text && <p className="empty-text">{text}</p>}
      {action && <Button onClick={action.run}>{action.label}</Button>}
    </div>
  );
}

interface FailedStateProps {
  title: string;
  reason: string;
  retry: () => void;
  isScreen?: boolean;
}

/** Something could not be loaded: the reason, and a button that tries again. */
export function FailedState({ title, reason, retry, isScreen }: FailedStateProps) {
  const Title = isScreen ? "h1" : "p";
  return (
    <div className="empty" role="alert">
      <Icon name="warning" className="empty-icon" />
      <Title className="empty-title">{title}</Title>
      <p className="empty-text">{reason}</p>
      <Button icon="refresh" onClick={retry}>Try again</Button>
    </div>
  );
}

export function Spinner({ label }: { label: string }) {
  return <span className="spinner" role="status" aria-label={label} />;
}

/** How far something is: of `total`, or unknown where that is null. */
export function Progress({ label, done, total }: { label: string; done: number; total: number | null }) {
  const share = total ? Math.min(1, done / total) : null;
  return (
    <span
      className={`progress ${share === null ? "progress-unknown" : ""}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === null ? undefined : Math.round(share * 100)}
    >
      <span style={{ transform: `scaleX(${share ?? 0.3})` }} />
    </span>
  );
}

export function Banner(
  { icon, kind = "plain", children }: { icon: IconName; kind?: "plain" | "problem"; children: ReactNode },
) {
  return (
    <div className={`banner banner-${kind}`}>
      <Icon name={icon} />
      <div className="banner-text">{children}</div>
    </div>
  );
}

/** Read out, and not seen. */
export function Hidden({ children }: { children: ReactNode }) {
  return <span className="hidden">{children}</span>;
}
