import { useEffect, useRef, useState } from "react";
import type { Id } from "../../jmap/types.ts";
import { type App, useApp } from "../../store/app.ts";
import { models } from "../../store/categories.ts";
import { Button } from "../../ui/Button.tsx";

interface ThreadSummary {
  text: string | null;
  writtenByAI: boolean;
  /** The conversation is short, so it is summarized on request. */
  isOnRequest: boolean;
}

interface SummaryProps {
  accountId: Id;
  threadId: Id;
  /** Identifies the shown messages: a summary of others is not shown. */
  emails: string;
}

/** Shorter waits are not announced. */
const PATIENCE = 1000;

/** What a model on this computer says the conversation is about; nothing where there is none. */
export function Summary(props: SummaryProps) {
  const { summary, isRequested, request } = useSummary(props);
  const box = useRef<HTMLElement>(null);
  if (summary === null) return null;
  const isOffered = summary !== "waiting" && summary.isOnRequest;
  if (summary !== "waiting" && !summary.text && !isOffered && !isRequested) return null;
  const ask = () => {
    request();
    // The button goes, and the focus would go with it.
    box.current?.focus({ preventScroll: true });
  };
  return (
    <aside ref={box} className={isOffered ? "summary-offer" : "summary"} aria-label="Summary" tabIndex={-1}>
      {isOffered
        ? <Button kind="quiet" aria-label="Summarize this conversation" onClick={ask}>Summarize</Button>
        : <SummaryText summary={summary} />}
    </aside>
  );
}

function SummaryText({ summary }: { summary: ThreadSummary | "waiting" }) {
  if (summary === "waiting") {
    return (
      <p className="summary-source" role="status">A model on this computer is reading the conversation…</p>
    );
  }
  if (!summary.text) {
    return <p className="summary-source" role="status">The model found nothing to sum up here.</p>;
  }
  return (
    <>
      <p>{summary.text}</p>
      <p className="summary-source">
        {summary.writtenByAI
          ? "Written by a model on this computer. It may contain mistakes."
          : "Quotes from the messages, selected by a model on this computer."}
      </p>
    </>
  );
}

function useSummary({ accountId, threadId, emails }: SummaryProps) {
  const app = useApp();
  const [summary, setSummary] = useState<ThreadSummary | "waiting" | null>(null);
  /** Those for which the button was pressed. */
  const [requested, setRequested] = useState("");
  const isPossible = models(app).summaries === true;
  const isRequested = requested === `${accountId} ${emails}`;
  useEffect(() => {
    setSummary(isRequested ? "waiting" : null);
    if (!isPossible || emails === "") return;
    const end = new AbortController();
    const timer = setTimeout(() => setSummary("waiting"), PATIENCE);
    const show = (found: ThreadSummary | null) => {
      if (end.signal.aborted) return;
      clearTimeout(timer);
      setSummary(found);
    };
    sumUp(app, accountId, threadId, isRequested, end.signal).then(show, () => {
      show(null);
      // Then it is offered again.
      if (!end.signal.aborted) setRequested("");
    });
    return () => {
      // The model should not work on hidden conversations.
      end.abort();
      clearTimeout(timer);
    };
  }, [app, accountId, threadId, emails, isPossible, isRequested]);
  return { summary, isRequested, request: () => setRequested(`${accountId} ${emails}`) };
}

/** In a separate request, because a model takes seconds and must not delay other calls. */
async function sumUp(
  app: App,
  accountId: Id,
  threadId: Id,
  onRequest: boolean,
  end: AbortSignal,
): Promise<ThreadSummary | null> {
  const batch = app.client.batch();
  const { answer } = batch.add<{ list: ThreadSummary[] }>("ThreadSummary/get", {
    accountId,
    ids: [threadId],
    ...(onRequest && { onRequest }),
  });
  batch.send(end);
  return (await answer).list[0] ?? null;
}
