import type { Contact } from "../../jmap/vendor.ts";
import { inOrder } from "../../store/words.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";

interface PeopleProps {
  /** What the ids of its options begin with. */
  id: string;
  contacts: Contact[];
  isShown: boolean;
  /** The one that Enter takes. */
  at: number;
  onPoint: (index: number) => void;
  onChoose: (contact: Contact) => void;
}

/** The people that a recipient field suggests. */
export function People({ id, contacts, isShown, at, onPoint, onChoose }: PeopleProps) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="People" className="people popup" hidden={!isShown}>
      {contacts.map((contact, index) => (
        <div
          key={contact.email}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          className="person"
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => onPoint(index)}
          onClick={() => onChoose(contact)}
        >
          {contact.warning && <WarningMark warning={contact.warning} />}
          {contact.name && <span className="person-name">{inOrder(contact.name)}</span>}
          <span className="person-email">
            <Breakable address={contact.email} />
          </span>
        </div>
      ))}
    </div>
  );
}
