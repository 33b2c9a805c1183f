import { useEffect, useRef, useState } from "react";
import { useObservable } from "../../base/observable.ts";
import type { Model, Plugin } from "../../jmap/program.ts";
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
/** The user should know what takes longer than this, and can end it. */
const LONG = 4000;
/** What is there once the user has ended the wait. */
const OFFER: ThreadSummary = { text: null, writtenByAI: false, isOnRequest: true };

/** What a model on this computer says the conversation is about; nothing where there is none. */
export function Summary(props: SummaryProps) {
  const { summary, isRequested, request, cancel } = useSummary(props);
  const box = useRef<HTMLElement>(null);
  if (summary === null) return null;
  const isOffered = summary !== "waiting" && summary.isOnRequest;
  if (summary !== "waiting" && !summary.text && !isOffered && !isRequested) return null;
  const pressed = (then: () => void) => () => {
    then();
    // The button goes, and the focus would go with it.
    box.current?.focus({ preventScroll: true });
  };
  return (
    <aside ref={box} className={isOffered ? "summary-offer" : "summary"} aria-label="Summary" tabIndex={-1}>
      {isOffered
        ? (
          <Button kind="quiet" aria-label="Summarize this conversation" onClick={pressed(request)}>
            Summarize
          </Button>
        )
        : summary === "waiting"
        ? <Waiting onCancel={pressed(cancel)} />
        : <SummaryText summary={summary} />}
    </aside>
  );
}

/** A model may need long, and may never respond: after a moment the user knows which plugin runs it. */
function Waiting({ onCancel }: { onCancel: () => void }) {
  const app = useApp();
  const models = useObservable(app.records<Model>("Model"));
  const plugins = useObservable(app.records<Plugin>("Plugin"));
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      models.load();
      plugins.load();
      setLong(true);
    }, LONG);
    return () => clearTimeout(timer);
  }, [models, plugins]);
  const id = models.list.find(({ usedFor }) => usedFor.includes("summaries"))?.pluginId;
  const plugin = plugins.list.find((plugin) => plugin.id === id)?.name ?? id;
  return (
    <div className="summary-wait">
      <p className="summary-source" role="status">
        {!isLong
          ? "A model on this computer is reading the conversation…"
          : plugin
          ? `Still waiting for the plugin “${plugin}”, which runs the model…`
          : "Still waiting for the model…"}
      </p>
      {isLong && <Button kind="quiet" aria-label="Cancel the summary" onClick={onCancel}>Cancel</Button>}
    </div>
  );
}

function SummaryText({ summary }: { summary: ThreadSummary }) {
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
  const [canceled, setCanceled] = useState("");
  const isPossible = models(app).summaries === true;
  const key = `${accountId} ${emails}`;
  const isRequested = requested === key;
  const isCanceled = canceled === key;
  useEffect(() => {
    setSummary(isCanceled ? OFFER : isRequested ? "waiting" : null);
    if (!isPossible || emails === "" || isCanceled) return;
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
  }, [app, accountId, threadId, emails, isPossible, isRequested, isCanceled]);
  const request = () => {
    setRequested(key);
    setCanceled("");
  };
  return { summary, isRequested, request, cancel: () => setCanceled(key) };
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
