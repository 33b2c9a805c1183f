import type { AccountSetup } from "../../jmap/accounts.ts";
import { SetupList } from "./SetupList.tsx";

interface OtherWaysProps {
  setups: AccountSetup[];
  /** The caller keeps it, so that the list is still open after a canceled sign-in. */
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChoose: (setup: AccountSetup) => void;
}

/** Everything but the address, folded: most people need none of it. */
export function OtherWays({ setups, isOpen, onOpen, onChoose }: OtherWaysProps) {
  return (
    <details
      className="other-ways"
      open={isOpen}
      onToggle={(event) => onOpen(event.currentTarget.open)}
    >
      <summary>Other ways to add an account</summary>
      <SetupList setups={setups} label="Other accounts" onChoose={onChoose} />
    </details>
  );
}
