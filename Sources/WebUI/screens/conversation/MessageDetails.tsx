import type { Address, Email } from "../../jmap/types.ts";
import { count, fullTime, nameAndAddress, size } from "../../store/words.ts";

/** So many people of a field are named. */
const MOST_PEOPLE = 500;

/** Everything that the header of a message says about its way. */
export function MessageDetails({ email }: { email: Email }) {
  const rows: [string, string][] = [
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
      {rows.filter(([, value]) => value !== "").map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function people(addresses: Address[] | null): string {
  const all = addresses ?? [];
  const shown = all.slice(0, MOST_PEOPLE).map(nameAndAddress);
  return shown.join(", ") +
    (all.length > shown.length ? ` and ${count(all.length - shown.length)} more` : "");
}
