import { useEffect, useRef, useState } from "react";
import type { Conversation } from "../../store/conversation.ts";
import { type Gap, PART } from "../../store/listing.ts";
import { count, counted } from "../../store/words.ts";
import { BelowMessage, useOpenDrafts } from "../composer/open.tsx";
import { Message } from "./Message.tsx";

interface MessagesProps {
  conversation: Conversation;
  onLink: (link: string | null) => void;
  /** Archives the conversation, and shows what comes next. */
  onArchive: () => void;
}

/** The listed messages of a conversation, with a button where some are not listed. */
export function Messages({ conversation, onLink, onArchive }: MessagesProps) {
  const { gaps, ids, first } = conversation;
  // What is being written is seen where it is written.
  const open = useOpenDrafts(conversation.accountId);
  const emails = conversation.emails.filter(({ id }) => !open.has(id));
  const list = useRef<HTMLOListElement>(null);
  const isPlaced = useRef(false);
  // In a long conversation the message where reading begins is far below.
  useEffect(() => {
    const start = list.current?.querySelector<HTMLElement>("[data-first]");
    const view = start?.closest(".conversation-scroll");
    if (!start || !view || isPlaced.current) return;
    isPlaced.current = true;
    const below = start.getBoundingClientRect().top - view.getBoundingClientRect().top;
    if (below > view.clientHeight / 2) start.scrollIntoView({ block: "start" });
  }, [first]);
  return (
    <ol ref={list} className="messages" aria-label={counted(ids.length, "message")}>
      {emails.map((email) => {
        const gap = gaps.get(email.id);
        return (
          <li key={email.id} data-first={email.id === first ? "" : undefined}>
            <Message conversation={conversation} email={email} onLink={onLink} />
            <BelowMessage accountId={conversation.accountId} emailId={email.id} onArchive={onArchive} />
            {gap && <More conversation={conversation} gap={gap} />}
          </li>
        );
      })}
    </ol>
  );
}

/** Stands where messages are not listed yet. */
function More({ conversation, gap }: { conversation: Conversation; gap: Gap }) {
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const all = gap.ids.length;
  const next = Math.min(PART, all);
  const show = async () => {
    setBusy(true);
    // The button goes with the last of them, and the focus would go with it.
    const before = box.current?.closest("li");
    await conversation.show(gap);
    setBusy(false);
    const { ids, gaps } = conversation;
    const hidden = [...gaps.values()].reduce((sum, one) => sum + one.ids.length, 0);
    setTold(`Showing ${count(ids.length - hidden)} of ${counted(ids.length, "message")}.`);
    if (next === all) before?.nextElementSibling?.querySelector<HTMLElement>(".message-fold")?.focus();
  };
  return (
    <div ref={box}>
      <button type="button" className="more-messages" aria-disabled={isBusy} onClick={() => isBusy || show()}>
        Show {counted(next, gap.isOld ? "older message" : "more message")}
        {all > next && ` of ${count(all)}`}
      </button>
      <span className="hidden" role="status">{told}</span>
    </div>
  );
}
