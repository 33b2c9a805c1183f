import "./invitation.css";
import { type ReactNode, useId } from "react";
import { downloadURL } from "../../jmap/blobs.ts";
import type { Invitation } from "../../jmap/invitation.ts";
import type { EmailHeader } from "../../jmap/types.ts";
import type { MessageInvitation } from "../../store/invitations.ts";
import {
  changeWords,
  headline,
  oneLine,
  organizerNote,
  unknownZone,
  when,
  whenElsewhere,
} from "../../store/invitationWords.ts";
import { counted, inOrder } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Banner } from "../../ui/states.tsx";
import { InvitationAnswers } from "./InvitationAnswers.tsx";
import { InvitationPeople } from "./InvitationPeople.tsx";
import { save } from "./save.ts";

interface InvitationCardProps {
  invited: MessageInvitation;
  invitation: Invitation;
  email: EmailHeader;
}

/** An invitation: what, when, where and who, what has changed, and the user's answer. */
export function InvitationCard({ invited, invitation, email }: InvitationCardProps) {
  const id = useId();
  const changes = changeWords(invitation);
  const isOver = invitation.method === "cancel" || invitation.isCanceledLater ||
    invitation.status === "cancelled";
  const saveEvent = () =>
    save(downloadURL(invited.accountId, invitation.blobId, "invitation.ics", "text/calendar"));
  return (
    <section className="invitation" aria-labelledby={`${id}-what ${id}-title`}>
      <p id={`${id}-what`} className={`invitation-what ${isOver ? "invitation-over" : ""}`}>
        {headline(invitation)}
      </p>
      <p id={`${id}-title`} className="invitation-title">{oneLine(invitation.title) || "No title"}</p>
      <dl className="invitation-facts">
        <When invitation={invitation} />
        {invitation.place && <Fact name="Where">{oneLine(invitation.place)}</Fact>}
        <InvitationPeople invitation={invitation} />
        {invitation.comment && <Fact name="Note">{inOrder(invitation.comment)}</Fact>}
        {changes.length > 0 && (
          <Fact name="Changed">
            {changes.map((change) => <span key={change} className="invitation-line">{change}</span>)}
          </Fact>
        )}
      </dl>
      <Warnings invitation={invitation} email={email} />
      <InvitationAnswers invited={invited} invitation={invitation} />
      <Button kind="quiet" icon="download" className="invitation-save" onClick={saveEvent}>
        Save as calendar file
      </Button>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function When({ invitation }: { invitation: Invitation }) {
  const here = when(invitation);
  const there = whenElsewhere(invitation);
  const { recurrence } = invitation;
  if (!here) return null;
  const next = (recurrence?.next ?? []).filter((one) => when(one) !== here || one.isException);
  return (
    <Fact name="When">
      <span className="invitation-line">{here}</span>
      {there && <span className="invitation-line invitation-more">{there}</span>}
      {recurrence && <span className="invitation-line">{recurrence.words}</span>}
      {next.length > 0 && (
        <details className="invitation-next">
          <summary>Next dates</summary>
          <ul>
            {next.map((one) => (
              <li key={one.start?.local}>
                {when(one)} {one.isException && <span className="invitation-more">(changed)</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Fact>
  );
}

function Warnings({ invitation, email }: { invitation: Invitation; email: EmailHeader }) {
  const { otherCount, isIncomplete } = invitation;
  const zone = unknownZone(invitation);
  const note = organizerNote(invitation, email.from ?? []);
  return (
    <>
      {note && <Banner icon="warning" kind="problem">{note}</Banner>}
      {zone && (
        <Banner icon="warning" kind="problem">
          The time zone “{zone}” is not known here. The event may be at another time.
        </Banner>
      )}
      {otherCount > 0 && (
        <Banner icon="info">The calendar file contains {counted(otherCount, "more event")}.</Banner>
      )}
      {isIncomplete && <Banner icon="info">This invitation is very large. Part of it is not shown.</Banner>}
    </>
  );
}
