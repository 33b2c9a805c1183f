import { Fragment, type ReactNode } from "react";
import { ActionButtons } from "../../actions/ActionButtons.tsx";
import { MESSAGE, type MessageSubject } from "../../actions/message.ts";
import type { Address, Email, EmailHeader } from "../../jmap/types.ts";
import { deliveryOf } from "../../store/delivery.ts";
import { inOrder, listed, strangersName } from "../../store/words.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { asAddress } from "./asAddress.ts";

/** So many senders are shown. */
const MOST_SENDERS = 10;

interface AddressingProps {
  email: EmailHeader;
  /** Undefined while it is being loaded. */
  whole: Email | undefined;
  own: Set<string>;
  subject: MessageSubject;
  /** What stands below it. */
  children?: ReactNode;
}

/** From which address a message is, and how it reached the user. It can be selected, unlike the name above it. */
export function Addressing({ email, whole, own, subject, children }: AddressingProps) {
  const { from } = email;
  return (
    <div className="message-addressing">
      {(from ?? []).slice(0, MOST_SENDERS).map(({ email: address }, index) => (
        <Fragment key={index}>
          {index > 0 && ", "}
          <span {...asAddress({ name: null, email: address })}>
            <Breakable address={address} />
          </span>
        </Fragment>
      ))} {wayTo(email, whole, own).map((part) => <span key={part}>{part}</span>)}
      {!whole && <Coming hasWay={!isNamed(email, own)} />}
      <ActionButtons actions={MESSAGE} subject={subject} place="addressing" />
      {children}
    </div>
  );
}

/** The place of what is known once all of the message is: nothing below moves when it comes. */
function Coming({ hasWay }: { hasWay: boolean }) {
  return (
    <>
      {hasWay && <span className="message-coming-way" />}
      <span className="message-coming" />
    </>
  );
}

/** How a message reached the user: as a recipient, in Cc, through a list; and whether it was readable on its way. */
export function wayTo(email: EmailHeader, whole: Email | undefined, own: Set<string>): string[] {
  const to = email.to ?? [];
  const isOwn = (address: Address) => isAmong(address, own);
  const names = to.map((one, index) => index > 2 ? "" : isOwn(one) ? "me" : strangersName(one));
  const list = whole?.["header:List-Id:asText"];
  const parts = [names.length > 0 ? `to ${listed(names)}` : ""];
  if (!to.some(isOwn) && email.cc?.some(isOwn)) parts.push("Cc to me");
  if (list) parts.push(`through the list ${listName(list)}`);
  else if (whole && !isNamed(whole, own)) parts.push("not addressed to you by name");
  if (deliveryOf(whole?.["header:Received:asRaw:all"] ?? [])?.isEncrypted === false) {
    parts.push("not encrypted in transit");
  }
  return parts.filter(Boolean);
}

/** Whether the user is among those who wrote a message or got it; of one that is loading, as far as its row says. */
function isNamed({ from, to, cc, bcc, keywords }: EmailHeader & Partial<Email>, own: Set<string>): boolean {
  const all = [from, to, cc, bcc].flatMap((some) => some ?? []);
  return keywords["$draft"] === true || all.some((one) => isAmong(one, own));
}

/** An address of the user, also with something after a plus. */
function isAmong({ email }: Address, own: Set<string>): boolean {
  const address = email.toLowerCase();
  return own.has(address) || own.has(address.replace(/\+[^@]*/, ""));
}

/** `Rowers <rowers.example.org>`: its name, or where there is none its id. */
export function listName(listId: string): string {
  const [, name = "", id = ""] = /^\s*"?([^<"]*?)"?\s*(?:<([^>]*)>)?\s*$/.exec(inOrder(listId)) ?? [];
  return name.trim() ? `“${name.trim()}”` : id.trim() || inOrder(listId).trim();
}
