import { useEffect, useState } from "react";
import type { Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { models } from "../../store/categories.ts";

interface ThreadSummary {
  text: string | null;
  writtenByAI: boolean;
}

interface SummaryProps {
  accountId: Id;
  threadId: Id;
  /** Names the messages that are shown: what is said of others is not shown beside them. */
  emails: string;
}

/** What comes sooner is not announced. */
const PATIENCE = 1000;

/** What a model on this computer says the conversation is about; nothing where there is none. */
export function Summary({ accountId, threadId, emails }: SummaryProps) {
  const app = useApp();
  const [summary, setSummary] = useState<ThreadSummary | "waiting" | null>(null);
  const isPossible = models(app).summaries === true;
  useEffect(() => {
    setSummary(null);
    if (!isPossible || emails === "") return;
    let isShown = true;
    const timer = setTimeout(() => setSummary("waiting"), PATIENCE);
    const show = (found: ThreadSummary | null) => {
      if (!isShown) return;
      clearTimeout(timer);
      setSummary(found);
    };
    // Alone in its request, for a model takes seconds and nothing shall wait for it.
    const batch = app.client.batch();
    const summary = batch.add<{ list: ThreadSummary[] }>("ThreadSummary/get", { accountId, ids: [threadId] });
    batch.send();
    summary.answer.then(({ list }) => show(list[0] ?? null)).catch(() => show(null));
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [app, accountId, threadId, emails, isPossible]);
  if (summary === "waiting") {
    return (
      <aside className="summary" aria-label="Summary">
        <p className="summary-source" role="status">A model on this computer is reading the conversation…</p>
      </aside>
    );
  }
  if (!summary?.text) return null;
  return (
    <aside className="summary" aria-label="Summary">
      <p>{summary.text}</p>
      <p className="summary-source">
        {summary.writtenByAI
          ? "Written by a model on this computer. It can be wrong."
          : "Quoted from the messages, chosen by a model on this computer."}
      </p>
    </aside>
  );
}
