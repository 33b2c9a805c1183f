import { Icon } from "./Icon.tsx";

/** Next to a suspicious address or file: an icon, and the warning as a sentence. */
export function WarningMark({ warning }: { warning: string }) {
  return (
    <span className="warning-mark" role="img" aria-label={`Warning: ${warning}`} title={warning}>
      <Icon name="warning" />
    </span>
  );
}
