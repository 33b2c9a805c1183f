import { useState } from "react";
import { useValue } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { type Reminded, setReminder } from "../../store/reminders.ts";
import { Button } from "../../ui/Button.tsx";
import { RemindDialog } from "./RemindDialog.tsx";

/** What can be done with a reminder. */
export function ReminderButtons({ reminder, kind }: { reminder: Reminded; kind?: "quiet" }) {
  const app = useApp();
  const isReachable = useValue(app.isReachable);
  const [isChoosing, setChoosing] = useState(false);
  const hasReturned = reminder.returnedAt !== null;
  const common = { disabled: !isReachable || reminder.emailId === null, ...(kind && { kind }) };
  return (
    <>
      <Button {...common} onClick={() => setChoosing(true)}>
        {hasReturned ? "Remind me again" : "Change time"}
      </Button>
      <Button {...common} onClick={() => setReminder(app, reminder, null)}>
        {hasReturned ? "Dismiss" : "Remove reminder"}
      </Button>
      {isChoosing && (
        <RemindDialog
          onChoose={(at) => setReminder(app, reminder, at)}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}
