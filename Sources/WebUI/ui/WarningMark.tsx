import { Icon } from "./Icon.tsx";

/** Beside an address or a file that is not what it seems: a sign, and what is wrong as a sentence. */
export function WarningMark({ warning }: { warning: string }) {
  return (
    <span className="warning-mark" role="img" aria-label={`Warning: ${warning}`} title={warning}>
      <Icon name="warning" />
    </span>
  );
}
