import { useValue } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Banner } from "../../ui/states.tsx";
import type { Composer } from "./composer.ts";

/** Whether the message is saved. */
export function SaveState({ composer }: { composer: Composer }) {
  const text = { none: "", saving: "Saving…", saved: "Saved", failed: "Not saved" }[composer.saving];
  return (
    <span
      role="status"
      className={`save-state ${composer.saving === "failed" ? "save-failed" : ""}`}
      title={composer.saveProblem ?? undefined}
    >
      {composer.saving === "failed" && <Icon name="warning" />}
      {composer.saving === "saved" && composer.isDirty ? "" : text}
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
