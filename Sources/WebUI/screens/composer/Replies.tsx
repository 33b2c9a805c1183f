import { useEffect, useState } from "react";
import { CAPABILITY } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import type { Composer } from "./composer.ts";

interface RepliesProps {
  composer: Composer;
  onChoose: (text: string) => void;
}

/** Up to three short answers that a model suggests; nothing at all where there is none. */
export function Replies({ composer, onChoose }: RepliesProps) {
  const app = useApp();
  const [list, setList] = useState<string[]>([]);
  const [isWritten, setWritten] = useState(false);
  const { accountId, sourceEmailId, mode } = composer;
  const can = app.client.session.capabilities[CAPABILITY.models] as { replies?: boolean } | undefined;
  const emailId = mode === "reply" || mode === "replyAll" ? sourceEmailId : null;
  useEffect(() => {
    setList([]);
    if (!can?.replies || !emailId) return;
    const ending = new AbortController();
    const batch = app.client.batch();
    const suggestion = batch.add<{ replies: string[]; writtenBy: string | null }>("Suggestion/get", {
      accountId,
      emailId,
    });
    batch.send(ending.signal);
    suggestion.answer.then(({ replies, writtenBy }) => {
      if (ending.signal.aborted) return;
      setList(replies.slice(0, 3));
      setWritten(writtenBy === "model");
    }, () => {});
    // A closed composer needs no suggestions: the model's work on them ends with the request.
    return () => ending.abort();
  }, [app, accountId, emailId, can?.replies]);
  if (list.length === 0) return null;
  return (
    <div className="replies" role="group" aria-label="Suggested replies">
      {list.map((text) => (
        <button
          key={text}
          type="button"
          className="reply-chip"
          onClick={() => {
            onChoose(text);
            setList([]);
          }}
        >
          {text}
        </button>
      ))}
      {isWritten && <p className="replies-source">Written by a model on this computer</p>}
    </div>
  );
}
