import { Fragment, type ReactNode } from "react";
import type { Address, Email } from "../../jmap/types.ts";
import { count, fullTime, nameAndAddress, size } from "../../store/words.ts";
import { asAddress } from "./useMessageMenus.tsx";

/** So many people of a field are named. */
const MOST_PEOPLE = 500;

/** Everything that the header of a message says about its way. */
export function MessageDetails({ email }: { email: Email }) {
  const rows: [string, ReactNode][] = [
    ["From", people(email.from)],
    ["Sent by", people(email.sender ?? null)],
    ["Reply to", people(email.replyTo)],
    ["To", people(email.to)],
    ["Cc", people(email.cc)],
    ["Bcc", people(email.bcc)],
    ["Date", fullTime(email.sentAt ?? email.receivedAt)],
    ["Size", size(email.size)],
  ];
  return (
    <dl className="details">
      {rows.filter(([, value]) => value !== null).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Each with its address, for the menu of the right button. */
function people(addresses: Address[] | null): ReactNode {
  const all = addresses ?? [];
  if (all.length === 0) return null;
  const more = all.length - MOST_PEOPLE;
  return (
    <>
      {all.slice(0, MOST_PEOPLE).map((address, index) => (
        <Fragment key={index}>
          {index > 0 && ", "}
          <span {...asAddress(address)}>{nameAndAddress(address)}</span>
        </Fragment>
      ))}
      {more > 0 && ` and ${count(more)} more`}
    </>
  );
}
