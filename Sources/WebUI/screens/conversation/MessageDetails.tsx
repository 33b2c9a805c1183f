import { Fragment, type ReactNode } from "react";
import type { Address, Email } from "../../jmap/types.ts";
import { deliveryOf } from "../../store/delivery.ts";
import { count, fullTime, inOrder, nameAndAddress, size } from "../../store/words.ts";
import { asAddress } from "./asAddress.ts";

/** So many people of a field are named. */
const MOST_PEOPLE = 500;

/** Everything that the header of a message says about its way. */
export function MessageDetails({ email, isOwn }: { email: Email; isOwn: boolean }) {
  const rows: [string, ReactNode][] = [
    ["From", people(email.from)],
    ["Sent by", people(email.sender ?? null)],
    ["Reply to", people(email.replyTo)],
    ["To", people(email.to)],
    ["Cc", people(email.cc)],
    ["Bcc", people(email.bcc)],
    ["List", inOrder(email["header:List-Id:asText"] ?? "")],
    ["Date", fullTime(email.sentAt ?? email.receivedAt)],
    ["In transit", isOwn ? "" : transit(email["header:Received:asRaw:all"] ?? [])],
    ["Size", size(email.size)],
  ];
  return (
    <dl className="details">
      {rows.filter(([, value]) => value !== null && value !== "").map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What is known about the encryption of a message on its way. */
export function transit(received: string[]): string {
  const step = deliveryOf(received);
  if (!step) return "Not known. The message does not say how it reached your service.";
  const where = `on the last step, from ${inOrder(step.from)}${step.by ? ` to ${inOrder(step.by)}` : ""}.`;
  if (!step.isEncrypted) return `Not encrypted ${where}`;
  return `Encrypted ${step.version ? `(${step.version}) ` : ""}${where} Earlier steps are not known.`;
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
