import { useState } from "react";
import { words } from "../../jmap/errors.ts";
import { useApp } from "../../store/app.ts";
import { Button } from "../../ui/Button.tsx";
import { Banner } from "../../ui/states.tsx";
import { Advice } from "./Advice.tsx";
import { StepFrame, type StepProps } from "./StepFrame.tsx";

/** A short tour; its button begins the first sync and shows the inbox. */
export function ReadyStep({ onBack }: StepProps) {
  const app = useApp();
  const [problem, setProblem] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);

  async function finish() {
    setSaving(true);
    setProblem(null);
    try {
      app.router.replace([]);
      await app.preferences.save("singleton", { isOnboardingComplete: true });
    } catch (error) {
      setProblem(words(error));
      setSaving(false);
    }
  }

  return (
    <StepFrame
      title="You're all set"
      onBack={onBack}
      actions={<Button kind="primary" disabled={isSaving} onClick={finish}>Go to Inbox</Button>}
    >
      <ul className="advice">
        <Advice icon="archive" title="Swipe">
          Swipe a conversation to archive or delete it. On a keyboard, E archives and # deletes.
        </Advice>
        <Advice icon="tag" title="Categories">
          With an AI model, your mail is sorted into Primary, Social, Promotions and Updates.
        </Advice>
        <Advice icon="reply" title="Smart reply">
          With an AI model, short answers are ready when you reply.
        </Advice>
        <Advice icon="search" title="Search">
          Type what you remember: “from ana last week with attachments”. Press / from anywhere.
        </Advice>
      </ul>
      <p className="step-lead">Press ? at any time to see what the keys do.</p>
      {problem && (
        <div role="alert">
          <Banner icon="warning" kind="problem">{problem}</Banner>
        </div>
      )}
    </StepFrame>
  );
}
