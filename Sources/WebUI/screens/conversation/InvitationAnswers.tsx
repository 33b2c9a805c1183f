import { useEffect, useId, useRef, useState } from "react";
import { ANSWERING, type InvitationSubject } from "../../actions/invitation.ts";
import { useCommands } from "../../actions/commands.ts";
import { commands, type Offer, offers, shortcuts } from "../../actions/offers.ts";
import { useShortcuts } from "../../base/shortcuts.ts";
import type { Answer, Invitation } from "../../jmap/invitation.ts";
import { type App, useApp } from "../../store/app.ts";
import type { MessageInvitation } from "../../store/invitations.ts";
import { answerSentence, answerWords, oneLine } from "../../store/invitationWords.ts";
import { nameAndAddress } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { composersOf } from "../composer/composers.ts";
import { Following } from "../composer/following.ts";
import { hasKeys } from "./answerKeys.ts";

interface InvitationAnswersProps {
  invited: MessageInvitation;
  invitation: Invitation;
}

/** The user's answer: what has become of it, and the buttons for another. */
export function InvitationAnswers({ invited, invitation }: InvitationAnswersProps) {
  const said = answerSentence(invitation);
  const isOpen = invitation.mayAnswer && !invitation.newerEmailId;
  return (
    <>
      <p className="invitation-said" role="status">{said}</p>
      {isOpen && <AnswerBar invited={invited} invitation={invitation} />}
    </>
  );
}

function AnswerBar({ invited, invitation }: InvitationAnswersProps) {
  const app = useApp();
  const id = useId();
  const bar = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const [note, setNote] = useState<string | null>(null);
  const answer = async (answer: Answer) => {
    if (invited.isBusy || !await mayAnswerAgain(app, invitation, answer, note ?? "")) return;
    if (await send(app, invited, answer, note ?? "")) setNote(null);
  };
  const subject: InvitationSubject = {
    app,
    targets: [],
    current: invitation.answer,
    answer,
    writeNote: () => {
      setNote(note ?? "");
      field.current?.focus();
    },
  };
  const keys = shortcuts(ANSWERING, () => subject).map(({ run, ...rest }) => ({
    ...rest,
    run: (event: KeyboardEvent) => hasKeys(bar.current) ? run(event) : false,
  }));
  useShortcuts(app.shortcuts, "Invitation", keys);
  const about = `“${oneLine(invitation.title) || "No title"}”`;
  useCommands(app, () => commands(ANSWERING, subject).map((one) => ({ ...one, about })));
  const hasNote = note !== null;
  useEffect(() => {
    if (hasNote) field.current?.focus();
  }, [hasNote]);
  return (
    <div ref={bar} className="invitation-answer">
      <div className="invitation-buttons" role="group" aria-label="Your answer">
        {offers(ANSWERING, subject, "invitation").map((offer) => (
          <AnswerButton key={offer.id} offer={offer} isBusy={invited.isBusy} />
        ))}
        {!hasNote &&
          offers(ANSWERING, subject, "invitationNote").map(({ id, label, icon, hint, run }) => (
            <Button key={id} kind="quiet" {...(icon ? { icon } : {})} title={hint} onClick={run}>
              {label}
            </Button>
          ))}
      </div>
      {hasNote && (
        <div className="field">
          <label htmlFor={id}>Note for the organizer</label>
          <textarea
            ref={field}
            id={id}
            className="input"
            rows={2}
            maxLength={2000}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
          <p className="field-hint">It is sent with your next answer.</p>
        </div>
      )}
    </div>
  );
}

function AnswerButton({ offer: { label, hint, isOn, run }, isBusy }: { offer: Offer; isBusy: boolean }) {
  return (
    <Button
      kind={isOn ? "primary" : "plain"}
      {...(isOn ? { icon: "check" as const } : {})}
      title={hint}
      aria-pressed={isOn}
      aria-disabled={isBusy || undefined}
      onClick={run}
    >
      {label}
    </Button>
  );
}

/** An answer that was sent is not sent twice, and another one only if the user means it. */
async function mayAnswerAgain(
  app: App,
  invitation: Invitation,
  answer: Answer,
  note: string,
): Promise<boolean> {
  const { answerState, answer: before } = invitation;
  const isDone = answerState === "sent" || answerState === "sending" || answerState === "waiting";
  if (!isDone || !before) return true;
  if (before === answer && note.trim() === invitation.note) {
    app.toasts.show(`You have already answered “${answerWords(answer)}”.`);
    return false;
  }
  if (answerState === "waiting") return true;
  const whom = invitation.organizer ? nameAndAddress(invitation.organizer) : "The organizer";
  return await app.dialogs.confirm({
    title: "Send another answer?",
    text: `${whom} was sent “${answerWords(before)}”. The new answer is “${answerWords(answer)}”.`,
    confirm: "Send",
  });
}

async function send(app: App, invited: MessageInvitation, answer: Answer, note: string): Promise<boolean> {
  const sent = await invited.answer(answer, note);
  if (!sent) return false;
  const reopen = composersOf(app).show;
  // An answer that is taken back leaves no draft: the buttons are there to answer again.
  new Following(app, sent, reopen, null, () => void invited.takeBack());
  return true;
}
