import type { EmailHeader, Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { stateOf, useReminders } from "../../store/reminders.ts";
import { Banner } from "../../ui/states.tsx";
import { ReminderButtons } from "../when/ReminderButtons.tsx";

/** Whether the conversation waits for a reply, or has returned without one. */
export function ReminderNote({ accountId, emails }: { accountId: Id; emails: EmailHeader[] }) {
  const reminder = useReminders(useApp()).find((one) =>
    one.accountId === accountId && emails.some(({ id }) => id === one.emailId)
  );
  return (
    <div role="status" className={reminder ? "conversation-note" : undefined}>
      {reminder && (
        <Banner icon="bell">
          {stateOf(reminder)}. <ReminderButtons reminder={reminder} kind="quiet" />
        </Banner>
      )}
    </div>
  );
}
