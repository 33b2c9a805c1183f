import type { KeyboardEvent } from "react";
import type { SearchChip, SearchReading } from "../../jmap/vendor.ts";
import { Icon } from "../../ui/Icon.tsx";

interface SearchChipsProps {
  chips: SearchChip[];
  onEdit: (chip: SearchChip) => void;
  onRemove: (chip: SearchChip) => void;
}

/** What was understood of a search. A click or Enter selects its words, Delete removes them. */
export function SearchChips({ chips, onEdit, onRemove }: SearchChipsProps) {
  if (chips.length === 0) return null;
  const remove = (event: KeyboardEvent, chip: SearchChip) => {
    if (event.key !== "Delete" && event.key !== "Backspace") return;
    event.preventDefault();
    onRemove(chip);
  };
  return (
    <ul className="chips" aria-label="Filters">
      {chips.map((chip) => (
        <li key={chip.start} className="chip" onKeyDown={(event) => remove(event, chip)}>
          <button type="button" aria-label={`Edit filter ${chip.label}`} onClick={() => onEdit(chip)}>
            {chip.label}
          </button>
          <button
            type="button"
            aria-label={`Remove ${chip.isPhrase ? "phrase" : "filter"} ${chip.label}`}
            onClick={() => onRemove(chip)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What was not understood as it may have been meant. */
export function SearchRemarks({ remarks }: Pick<SearchReading, "remarks">) {
  return (
    <div className="search-remarks" role="status">
      {remarks.map(({ sentence, start }) => (
        <p key={`${start} ${sentence}`} className="search-remark">
          <Icon name="info" />
          <span>{sentence}</span>
        </p>
      ))}
    </div>
  );
}
