import { useEffect, useState } from "react";
import type { Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";

/** What a model on this computer says the conversation is about; nothing where there is none. */
export function Summary({ accountId, threadId }: { accountId: Id; threadId: Id }) {
  const app = useApp();
  const [summary, setSummary] = useState<{ text: string | null; writtenByAI: boolean } | null>(null);
  const models = app.client.session.capabilities["urn:mailkernel:models"] as
    | { summaries?: boolean }
    | undefined;
  const isPossible = models?.summaries === true;
  useEffect(() => {
    if (!isPossible) return;
    let isShown = true;
    app.client.call<{ list: { text: string | null; writtenByAI: boolean }[] }>("ThreadSummary/get", {
      accountId,
      ids: [threadId],
    }).then(({ list }) => isShown && setSummary(list[0] ?? null)).catch(() => {});
    return () => {
      isShown = false;
    };
  }, [app, accountId, threadId, isPossible]);
  if (!summary?.text) return null;
  return (
    <aside className="summary" aria-label="Summary">
      <p>{summary.text}</p>
      {summary.writtenByAI && (
        <p className="summary-source">Written by a model on this computer. It can be wrong.</p>
      )}
    </aside>
  );
}
