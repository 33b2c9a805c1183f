import { useEffect, useState } from "react";
import type { AccountSettings, ServiceReport } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { jmapSentence, quotaSentences } from "./quotaWords.ts";

/** What the account's service says about its limits; nothing while that is unknown. */
export function ServiceLimits({ account }: { account: AccountSettings }) {
  const app = useApp();
  const [report, setReport] = useState<ServiceReport | null>(null);
  useEffect(() => {
    let isShown = true;
    // The program asks the service at most once an hour.
    app.client.call<ServiceReport>("AccountSettings/report", { accountId: account.id })
      .then((found) => isShown && setReport(found)).catch(() => {});
    return () => {
      isShown = false;
    };
  }, [app, account.id]);
  if (!report) return null;
  const sentences = quotaSentences(report.quotas, account.address);
  const jmap = jmapSentence(report.jmapSessionUrl);
  return (
    <>
      {sentences.map((sentence) => <p key={sentence} className="field-hint">{sentence}</p>)}
      {jmap && <p className="field-hint">{jmap}</p>}
    </>
  );
}
