import { useEffect, useState } from "react";
import type { Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { models } from "../../store/categories.ts";

interface ThreadSummary {
  text: string | null;
  writtenByAI: boolean;
}

/** What a model on this computer says the conversation is about; nothing where there is none. */
export function Summary({ accountId, threadId }: { accountId: Id; threadId: Id }) {
  const app = useApp();
  const [summary, setSummary] = useState<ThreadSummary | null>(null);
  const isPossible = models(app).summaries === true;
  useEffect(() => {
    if (!isPossible) return;
    let isShown = true;
    // Alone in its request, for a model takes seconds and nothing shall wait for it.
    const batch = app.client.batch();
    const summary = batch.add<{ list: ThreadSummary[] }>("ThreadSummary/get", { accountId, ids: [threadId] });
    batch.send();
    summary.answer.then(({ list }) => isShown && setSummary(list[0] ?? null)).catch(() => {});
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
