import { comingTime, spokenTime, utc } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Banner } from "../../ui/states.tsx";
import type { Composer } from "./composer.ts";

/** When the user is reminded of the message, once it is sent. */
export function RemindLine({ composer, onChange }: { composer: Composer; onChange: () => void }) {
  const { remindAt } = composer;
  return (
    <div role="status" className={remindAt ? "composer-note" : undefined}>
      {remindAt && (
        <Banner icon="bell">
          {remindAt > new Date()
            ? `You will be reminded ${comingTime(remindAt)} if there is no reply.`
            : `The time of the reminder has passed: ${spokenTime(utc(remindAt))}.`}{" "}
          <Button kind="quiet" onClick={onChange}>Change time</Button>
          <Button kind="quiet" onClick={() => composer.set({ remindAt: null })}>Remove reminder</Button>
        </Banner>
      )}
    </div>
  );
}
