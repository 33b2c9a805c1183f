import type { DragEvent, KeyboardEvent } from "react";
import type { Address } from "../../jmap/types.ts";
import { displayName, inOrder } from "../../store/words.ts";
import { Icon } from "../../ui/Icon.tsx";
import { shownAddress } from "./addresses.ts";

interface TokenProps {
  address: Address;
  wrong: string | null;
  /** The address imitates another. */
  warning: string | null;
  onKey: (event: KeyboardEvent) => void;
  onEdit: () => void;
  onRemove: () => void;
  onDrag: (event: DragEvent) => void;
}

/** One recipient in its field. */
export function Token({ address, wrong, warning, onKey, onEdit, onRemove, onDrag }: TokenProps) {
  const name = displayName(address);
  const spoken = inOrder(address.name ? `${address.name}, ${address.email}` : address.email);
  return (
    <li className={`token ${wrong ? "token-wrong" : ""}`} draggable onDragStart={onDrag}>
      <button
        type="button"
        className="token-main"
        tabIndex={-1}
        title={warning ?? shownAddress(address)}
        aria-label={wrong ? `${spoken}, not an address` : warning ? `${spoken}. Warning: ${warning}` : spoken}
        onKeyDown={onKey}
        onDoubleClick={onEdit}
      >
        {(wrong || warning) && <Icon name="warning" />}
        {name}
      </button>
      <button
        type="button"
        className="token-remove"
        tabIndex={-1}
        aria-label={`Remove ${spoken}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
