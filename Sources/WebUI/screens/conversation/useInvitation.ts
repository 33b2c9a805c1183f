import { useEffect, useMemo } from "react";
import { useAll } from "../../base/observable.ts";
import type { Email, Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { isCalendar, MessageInvitation } from "../../store/invitations.ts";

/** The invitation in a message; null if it can have none. */
export function useInvitation(accountId: Id, email: Email | undefined): MessageInvitation | null {
  const app = useApp();
  const id = email?.id;
  const mayHaveOne = email?.attachments.some(isCalendar) ?? false;
  const invited = useMemo(
    () => id && mayHaveOne ? new MessageInvitation(app, accountId, id) : null,
    [app, accountId, id, mayHaveOne],
  );
  useEffect(() => invited?.follow(), [invited]);
  useAll(invited ? [invited] : []);
  return invited;
}
