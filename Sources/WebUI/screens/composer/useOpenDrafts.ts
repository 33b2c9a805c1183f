import { useEffect, useState } from "react";
import type { Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { composersOf } from "./composers.ts";

/** The emails of the drafts that are open beside the mail. */
export function useOpenDrafts(accountId: Id): Set<Id> {
  const { docked } = useObservable(composersOf(useApp()));
  const [, render] = useState(0);
  useEffect(() => {
    const stops = docked.map((composer) => {
      let known = composer.emailId;
      return composer.subscribe(() => {
        if (composer.emailId === known) return;
        known = composer.emailId;
        render((count) => count + 1);
      });
    });
    return () => stops.forEach((stop) => stop());
  }, [docked]);
  return new Set(docked.flatMap((one) => one.accountId === accountId && one.emailId ? [one.emailId] : []));
}
