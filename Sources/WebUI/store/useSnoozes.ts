import { useEffect } from "react";
import { useAll } from "../base/observable.ts";
import type { Id, UTCDate } from "../jmap/types.ts";
import type { App } from "./app.ts";

interface Snooze {
  id: Id;
  emailId: Id;
  until: UTCDate;
}

/** Tells when the first of some messages returns to the inbox; null if none is snoozed, or it is not needed. */
export function useSnoozes(app: App, isNeeded: boolean): (accountId: Id, emailIds: Id[]) => Date | null {
  const all = isNeeded ? app.accounts.map(({ id }) => app.records<Snooze>("Snooze", id)) : [];
  useAll(all);
  useEffect(() => {
    // Without them the rows are as in any other folder.
    for (const records of all) if (records.status === "empty") records.load().catch(() => {});
  }, [isNeeded, app.accounts]);
  return (accountId, emailIds) => {
    const times = all.filter((records) => records.accountId === accountId)
      .flatMap(({ list }) => list.filter(({ id }) => emailIds.includes(id)))
      .map(({ until }) => until).sort();
    return times[0] === undefined ? null : new Date(times[0]);
  };
}
