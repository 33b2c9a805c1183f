import { useEffect, useState } from "react";
import type { AccountSettings, ServiceReport } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { Button } from "../../ui/Button.tsx";
import { RECOGNIZED } from "./waysToMail.ts";
import { jmapSentence, quotaSentences } from "./quotaWords.ts";

/** What the service of an account says about it; null while that is unknown, and without an account. */
export function useServiceReport(account: AccountSettings | null): ServiceReport | null {
  const app = useApp();
  const [report, setReport] = useState<ServiceReport | null>(null);
  const id = account?.id ?? null;
  useEffect(() => {
    let isShown = true;
    setReport(null);
    if (!id) return;
    // The program asks the service at most once an hour.
    app.client.call<ServiceReport>("AccountSettings/report", { accountId: id })
      .then((found) => isShown && setReport(found)).catch(() => {});
    return () => {
      isShown = false;
    };
  }, [app, id]);
  return report;
}

interface ServiceLimitsProps {
  account: AccountSettings;
  report: ServiceReport;
  /** Null if no plugin reads mail through JMAP, or this account's does. */
  onSwitch: (() => void) | null;
}

/** The limits that the account's service has for it, and the way through JMAP that it offers. */
export function ServiceLimits({ account, report, onSwitch }: ServiceLimitsProps) {
  const sentences = quotaSentences(report.quotas, account.address);
  const jmap = jmapSentence(report.jmapSessionUrl);
  return (
    <>
      {sentences.map((sentence) => <p key={sentence} className="field-hint">{sentence}</p>)}
      {jmap && <p className="field-hint">{onSwitch ? `${jmap} ${RECOGNIZED}` : jmap}</p>}
      {jmap && onSwitch && (
        <p>
          <Button onClick={onSwitch} aria-label={`Switch ${account.address} to JMAP`}>Switch to JMAP</Button>
        </p>
      )}
    </>
  );
}
