import { useValue } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { Icon } from "../../ui/Icon.tsx";
import { useLate } from "../../ui/useLate.ts";
import { Banner } from "../../ui/states.tsx";
import type { Composer } from "./composer.ts";

/** Whether the message is saved. */
export function SaveState({ composer }: { composer: Composer }) {
  const hasFailed = composer.saving === "failed";
  // It is saved every second: that is said only if it takes long, and once the writing rests.
  const isSlow = useLate(composer.saving === "saving");
  const isAtRest = useLate(composer.saving === "saved" && !composer.isDirty, 500);
  return (
    <span
      role="status"
      className={`save-state ${hasFailed ? "save-failed" : ""}`}
      title={composer.saveProblem ?? undefined}
    >
      {hasFailed && <Icon name="warning" />}
      {hasFailed ? "Not saved" : isSlow ? "Saving…" : isAtRest ? "Saved" : ""}
    </span>
  );
}

const SAID = new Set(["imitatingAddress", "bodyLarge", "attachmentsLarge", "attachmentsTooLarge"]);
const MOST_SAID = 5;

/** What the program has to say about the message. */
export function Warnings({ composer }: { composer: Composer }) {
  const isStoreResponding = useValue(useApp().isStoreResponding);
  const said = composer.problems.filter((problem) => SAID.has(problem.kind)).slice(0, MOST_SAID);
  return (
    <div role="status" className="composer-warnings">
      {said.map(({ kind, value, text }) => (
        <Banner key={`${kind} ${value}`} icon="warning" kind="problem">{text}</Banner>
      ))}
      {composer.saving === "failed" && (
        <Banner icon="warning" kind="problem">
          {isStoreResponding
            ? (
              <>
                The draft could not be saved. {composer.saveProblem}{" "}
                You can keep writing; mailkernel will try again.
              </>
            )
            : <>Your text stays in this window, and is saved when the store responds again.</>}
        </Banner>
      )}
    </div>
  );
}
