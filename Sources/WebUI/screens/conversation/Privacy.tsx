import type { EmailView, TrustedSender } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import type { Conversation } from "../../store/conversation.ts";
import { counted } from "../../store/words.ts";
import { useSave } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Banner } from "../../ui/states.tsx";
import { failedSentence, pendingSentence, refusedSentences } from "./remote.ts";

interface PrivacyProps {
  conversation: Conversation;
  view: EmailView;
  sender: string | null;
  /** Images that were asked for and could not be loaded. */
  failedCount: number;
}

/** Content blocked to hide from the sender that the message was read, and content that never loads. */
export function Privacy({ conversation, view, sender, failedCount }: PrivacyProps) {
  const app = useApp();
  const { isSaving, save } = useSave();
  const { blockedImageCount: blocked, removedTrackerCount: trackers } = view;
  const sentences = [
    ...pendingSentence(view.pendingImageCount),
    ...failedSentence(failedCount),
    ...refusedSentences(view.refusedRemote),
  ];
  if (blocked === 0 && trackers === 0 && sentences.length === 0) return null;
  const trust = async () => {
    if (!sender) return;
    await app.records<TrustedSender>("TrustedSender").create({ email: sender });
    await conversation.reread();
    app.toasts.show(`Images from ${sender} will now load. You can change this in Settings.`);
  };
  return (
    <Banner icon="shield">
      {trackers > 0 && <span className="privacy-trackers">{counted(trackers, "tracker")} blocked</span>}
      {blocked > 0 && (
        <>
          <span>
            {counted(blocked, "remote image")}{" "}
            not loaded, so that the sender does not learn that you read this.
          </span>
          <span className="privacy-buttons">
            <Button
              kind="quiet"
              disabled={isSaving}
              onClick={() => save(() => conversation.bodies.loadRemote(view.id))}
            >
              Load remote images
            </Button>
            {sender && (
              <Button kind="quiet" disabled={isSaving} onClick={() => save(trust)}>
                Always for {sender}
              </Button>
            )}
          </span>
        </>
      )}
      {sentences.map((sentence) => <span key={sentence} className="privacy-refused">{sentence}</span>)}
    </Banner>
  );
}
