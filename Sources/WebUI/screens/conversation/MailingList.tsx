import { WordButtons } from "../../actions/ActionButtons.tsx";
import { type MessageSubject, OPENED } from "../../actions/message.ts";
import { unsubscribedWords } from "../../store/unsubscribeWords.ts";
import { Icon } from "../../ui/Icon.tsx";
import type { Listed } from "./useUnsubscription.ts";

/** What the user did about the list that a message is from, and the button that leaves it. */
export function MailingList({ listed: { list }, subject }: { listed: Listed; subject: MessageSubject }) {
  const said = list ? unsubscribedWords(list) : "";
  const isProblem = list?.isStillSending || list?.state === "failed";
  return (
    <span className="message-list">
      <span className={isProblem ? "message-list-problem" : ""} role="status">
        {said && (
          <>
            <Icon name={isProblem ? "warning" : "check"} /> {said}
          </>
        )}
      </span>
      <WordButtons actions={OPENED} subject={subject} place="sender" kind="quiet" />
    </span>
  );
}
