import { Spinner } from "../../ui/states.tsx";
import type { Composer } from "./composer.ts";

/**
 * Has the focus until the message is loaded: typed characters belong to the message, not to the list's
 * shortcuts.
 */
export function Opening({ composer }: { composer: Composer }) {
  return (
    <div className="composer-waits">
      <Spinner label="Opening your message" />
      <input
        className="hidden"
        aria-label="Your message is being opened"
        autoComplete="off"
        autoFocus
        // It may take the place of another, while the composer itself was loaded.
        defaultValue={composer.early}
        onFocus={({ currentTarget: { value }, currentTarget }) =>
          currentTarget.setSelectionRange(value.length, value.length)}
        onChange={(event) => {
          composer.early = event.currentTarget.value;
        }}
      />
    </div>
  );
}
