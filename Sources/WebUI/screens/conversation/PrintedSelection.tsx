import { useEffect, useRef } from "react";
import { useAll, useObservable } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { type PrintedConversation, printingOf } from "../../store/printing.ts";
import { counted, subjectOf } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Progress } from "../../ui/states.tsx";
import { Message } from "./Message.tsx";
import { printSelection, settled } from "./printMessage.ts";

const IGNORE = () => {};

/** Selected conversations while they are being printed: out of sight, and as they will be on paper. */
export function PrintedSelection() {
  const printing = printingOf(useApp());
  const { isBusy, list } = useObservable(printing);
  useAll(list.map(({ conversation }) => conversation));
  const paper = useRef<HTMLDivElement>(null);
  const all = list.reduce((sum, { ids }) => sum + ids.length, 0);
  const done = list.reduce((sum, one) => sum + one.ids.filter((id) => isThere(one, id)).length, 0);
  const isReady = all > 0 && done === all;
  useEffect(() => {
    if (!isReady || !paper.current) return;
    const stop = new AbortController();
    settled(paper.current, stop.signal).then(() =>
      stop.signal.aborted || printSelection(() => printing.end())
    );
    return () => stop.abort();
  }, [isReady, printing]);
  if (!isBusy) return null;
  return (
    <>
      <div ref={paper} className="printed" aria-hidden="true">
        {list.map((one) => <Printed key={one.conversation.threadId} {...one} />)}
      </div>
      <Dialog
        title="Preparing to print"
        onClose={() => printing.end()}
        footer={<Button data-autofocus onClick={() => printing.end()}>Cancel</Button>}
      >
        <p>{all > 0 ? `Opening ${counted(all, "message")} …` : "Looking for the messages …"}</p>
        <Progress label="Messages loaded" done={done} total={all > 0 ? all : null} />
      </Dialog>
    </>
  );
}

function isThere({ conversation: { messages, problems } }: PrintedConversation, id: string): boolean {
  return messages.has(id) || problems.has(id);
}

function Printed({ conversation, ids }: PrintedConversation) {
  useObservable(conversation);
  useEffect(() => conversation.openAll(), [conversation]);
  const emails = conversation.emails.filter(({ id }) => ids.includes(id));
  const [first] = emails;
  return (
    <section className="printed-conversation">
      <h2>{first && subjectOf(first)}</h2>
      {emails.map((email) => (
        <Message key={email.id} conversation={conversation} email={email} onLink={IGNORE} />
      ))}
    </section>
  );
}
