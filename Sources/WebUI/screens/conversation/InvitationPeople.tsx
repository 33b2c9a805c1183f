import type { Attendee, CalendarPerson, Invitation } from "../../jmap/invitation.ts";
import { answerWords, guestWords } from "../../store/invitationWords.ts";
import { inOrder, nameAndAddress } from "../../store/words.ts";

/** So many guests need no list of their own. */
const FEW = 3;

/** Who invites and who is invited, with their answers. */
export function InvitationPeople({ invitation }: { invitation: Invitation }) {
  const { organizer, attendees, attendeeCount, me, mayAnswer, isOrganizer } = invitation;
  if (!organizer && attendees.length === 0) return null;
  const hidden = attendeeCount - attendees.length;
  const isStranger = mayAnswer && me === null;
  const list = (
    <ul>
      {attendees.map((one, index) => <li key={index}>{attendeeWords(one)}</li>)}
      {hidden > 0 && <li>and {hidden} more</li>}
    </ul>
  );
  return (
    <div>
      <dt>Who</dt>
      <dd>
        {organizer && (
          <span className="invitation-line">
            {isOrganizer ? "You" : organizerWords(organizer)}{" "}
            <span className="invitation-more">(organizer)</span>
          </span>
        )}
        {attendees.length > FEW
          ? (
            <details>
              <summary>{guestWords(invitation)}</summary>
              {list}
            </details>
          )
          : attendees.length > 0 && list}
        {isStranger && <span className="invitation-line">You are not on the list of guests.</span>}
      </dd>
    </div>
  );
}

/** With the address, which is where an answer goes. The name can be anything. */
function organizerWords(organizer: CalendarPerson): string {
  return organizer.email ? nameAndAddress(organizer) : personWords(organizer);
}

function personWords({ name, email }: CalendarPerson): string {
  return inOrder(name ?? email);
}

function attendeeWords(one: Attendee): string {
  const kind = one.isResource ? "room" : one.isOptional ? "optional" : "";
  const details = [kind, answerWords(one.participation)].filter(Boolean).join(", ");
  return `${one.isMe ? "You" : personWords(one)}: ${details}`;
}
