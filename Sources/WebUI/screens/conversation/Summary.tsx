import { useEffect, useRef, useState } from "react";
import type { Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { models } from "../../store/categories.ts";
import { Button } from "../../ui/Button.tsx";

interface ThreadSummary {
  text: string | null;
  writtenByAI: boolean;
  /** The conversation is short: it is summed up for whoever asks. */
  isOnRequest: boolean;
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
  /** Those for which the button was pressed. */
  const [requested, setRequested] = useState("");
  const box = useRef<HTMLElement>(null);
  const isPossible = models(app).summaries === true;
  const onRequest = requested === `${accountId} ${emails}`;
  useEffect(() => {
    setSummary(onRequest ? "waiting" : null);
    if (!isPossible || emails === "") return;
    const end = new AbortController();
    const timer = setTimeout(() => setSummary("waiting"), PATIENCE);
    const show = (found: ThreadSummary | null) => {
      if (end.signal.aborted) return;
      clearTimeout(timer);
      setSummary(found);
    };
    // Alone in its request, for a model takes seconds and nothing shall wait for it.
    const batch = app.client.batch();
    const answer = batch.add<{ list: ThreadSummary[] }>("ThreadSummary/get", {
      accountId,
      ids: [threadId],
      ...(onRequest && { onRequest }),
    }).answer;
    batch.send(end.signal);
    answer.then(({ list }) => show(list[0] ?? null)).catch(() => {
      show(null);
      // Then it is offered again.
      if (!end.signal.aborted) setRequested("");
    });
    return () => {
      // Nor shall the model work on what nobody looks at.
      end.abort();
      clearTimeout(timer);
    };
  }, [app, accountId, threadId, emails, isPossible, onRequest]);

  const request = () => {
    setRequested(`${accountId} ${emails}`);
    // The button goes, and the focus would go with it.
    box.current?.focus({ preventScroll: true });
  };
  if (summary === null) return null;
  if (summary !== "waiting" && !summary.text && !summary.isOnRequest && !onRequest) return null;
  const isOffered = summary !== "waiting" && summary.isOnRequest;
  return (
    <aside ref={box} className={isOffered ? "summary-offer" : "summary"} aria-label="Summary" tabIndex={-1}>
      {summary === "waiting"
        ? (
          <p className="summary-source" role="status">
            A model on this computer is reading the conversation…
          </p>
        )
        : isOffered
        ? <Button kind="quiet" aria-label="Summarize this conversation" onClick={request}>Summarize</Button>
        : summary.text
        ? (
          <>
            <p>{summary.text}</p>
            <p className="summary-source">
              {summary.writtenByAI
                ? "Written by a model on this computer. It can be wrong."
                : "Quoted from the messages, chosen by a model on this computer."}
            </p>
          </>
        )
        : <p className="summary-source" role="status">The model found nothing to sum up here.</p>}
    </aside>
  );
}
