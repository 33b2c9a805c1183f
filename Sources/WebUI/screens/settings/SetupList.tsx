import type { AccountSetup } from "../../jmap/accounts.ts";
import { Icon, type IconName } from "../../ui/Icon.tsx";

const ICONS: Record<AccountSetup["kind"], IconName> = { account: "mail", local: "folder", demo: "people" };

interface SetupListProps {
  setups: AccountSetup[];
  label: string;
  onChoose: (setup: AccountSetup) => void;
}

/** The ways to add an account, with explanations. */
export function SetupList({ setups, label, onChoose }: SetupListProps) {
  return (
    <ul className="setups" aria-label={label}>
      {setups.map((setup) => (
        <li key={setup.id}>
          <button type="button" className="setup" onClick={() => onChoose(setup)}>
            <Icon name={ICONS[setup.kind]} />
            <span className="setup-words">
              <span className="setup-title">{setup.title}</span>
              {setup.explanation && <span className="field-hint">{setup.explanation}</span>}
            </span>
            <Icon name="chevronRight" />
          </button>
        </li>
      ))}
    </ul>
  );
}
