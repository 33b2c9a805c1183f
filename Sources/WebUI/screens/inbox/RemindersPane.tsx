import type { EmailHeader } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { type Reminded, stateOf, useRemindedMail, useReminders } from "../../store/reminders.ts";
import { recipients, subjectOf } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Banner, EmptyState } from "../../ui/states.tsx";
import { ReminderButtons } from "../when/ReminderButtons.tsx";
import { openReminded } from "./openReminded.ts";

/** Messages that wait for a reply: until when, and what can be done meanwhile. */
export function RemindersPane() {
  const app = useApp();
  const reminders = useReminders(app);
  const emailOf = useRemindedMail(app, reminders);
  if (reminders.length === 0) {
    return (
      <EmptyState
        icon="bell"
        title="No reminders"
        text="“Remind me if there is no reply” lists a message here until there is a reply."
      />
    );
  }
  return (
    <ul className="outbox" aria-label="Reminders">
      {reminders.map((reminder) => (
        <ReminderItem
          key={`${reminder.accountId}/${reminder.id}`}
          reminder={reminder}
          email={emailOf(reminder)}
        />
      ))}
    </ul>
  );
}

function ReminderItem({ reminder, email }: { reminder: Reminded; email: EmailHeader | undefined }) {
  const app = useApp();
  return (
    <li className="outbox-item">
      <p className="outbox-to">{email ? recipients(email) : "A message"}</p>
      <p className="outbox-subject">{email ? subjectOf(email) : ""}</p>
      <p className="outbox-state">
        <Icon name="bell" /> {stateOf(reminder)}
      </p>
      <div className="outbox-actions">
        {reminder.threadId && reminder.sentAt && (
          <Button
            icon="mail"
            onClick={() => openReminded(app, reminder)}
          >
            Open
          </Button>
        )}
        <ReminderButtons reminder={reminder} />
      </div>
    </li>
  );
}

/** So many are listed above the inbox. */
const MOST_ABOVE = 3;

/** Above the inbox: what has returned to it without a reply. */
export function NoReplies({ accountId }: { accountId: string }) {
  const app = useApp();
  const returned = useReminders(app).filter((one) =>
    one.returnedAt !== null && (accountId === "all" || one.accountId === accountId)
  );
  const shown = returned.slice(-MOST_ABOVE).reverse();
  const emailOf = useRemindedMail(app, shown);
  return (
    <>
      {shown.map((reminder) => {
        const email = emailOf(reminder);
        return (
          <Banner key={`${reminder.accountId}/${reminder.id}`} icon="bell">
            {stateOf(reminder)}
            {email ? `: ${recipients(email)}, “${subjectOf(email)}”` : ""}.{" "}
            {reminder.threadId && (
              <Button kind="quiet" onClick={() => openReminded(app, reminder)}>Open</Button>
            )}
            <ReminderButtons reminder={reminder} kind="quiet" />
          </Banner>
        );
      })}
      {returned.length > shown.length && (
        <Banner icon="bell">
          There are more messages without a reply.{" "}
          <Button kind="quiet" onClick={() => app.router.go(["reminders"])}>Show all</Button>
        </Banner>
      )}
    </>
  );
}
