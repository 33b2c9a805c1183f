import { useEffect } from "react";
import type { AccountSetup } from "../../jmap/accounts.ts";
import { type About, CAPABILITY } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";

/** Explains a way to add an account, and how its input is used. A demo needs no input. */
export function SetupExplanation({ setup, className }: { setup: AccountSetup; className: string }) {
  const app = useApp();
  const records = useObservable(app.records<About>("About"));
  const isThere = app.client.has(CAPABILITY.about);
  useEffect(() => {
    if (isThere && records.status === "empty") records.load();
  }, [isThere, records]);
  if (setup.kind === "demo") return null;
  const policy = records.get("singleton")?.privacyPolicyUrl;
  return (
    <>
      {setup.explanation && <p className={className}>{setup.explanation}</p>}
      {policy && (
        <p className="field-hint">
          <a href={policy} target="_blank" rel="noopener noreferrer">Privacy policy</a>: what mailkernel does
          with your data.
        </p>
      )}
    </>
  );
}
