import type { Address, Email, EmailHeader } from "../../jmap/types.ts";
import { listed, listedAddresses, nameAndAddress, senderWarning, serviceOf } from "../../store/words.ts";
import { Banner } from "../../ui/states.tsx";

interface SenderNotesProps {
  email: EmailHeader;
  /** Undefined while it is being loaded. */
  whole: Email | undefined;
}

/** Says before anyone answers who a message is from, and where an answer would go, if that is not plain. */
export function SenderNotes({ email, whole }: SenderNotesProps) {
  const warning = senderWarning(email);
  const from = email.from ?? [];
  const sender = others(whole?.sender ?? [], from);
  const replyTo = others(whole?.replyTo ?? [], from);
  const authors = whole?.["header:From:asAddresses:all"] ?? [];
  const isList = Boolean(whole?.["header:List-Id:asText"]);
  const replyWarning = replyTo.map((one) => whole?.addressWarnings?.[one.email]).find(Boolean);
  // The sender gets a reply as well, unless every address to reply to is another.
  const isSenderToo = replyTo.length < (whole?.replyTo ?? []).filter(({ email }) => email !== "").length;
  const isElsewhere = !isList &&
    replyTo.some((one) => !from.some((other) => serviceOf(other) === serviceOf(one)));
  return (
    <>
      {warning && <Banner icon="warning" kind="problem">{warning}</Banner>}
      {authors.length > 1 && (
        <Banner icon="warning" kind="problem">
          This message has several From fields with different authors:{" "}
          {listed(authors.flat().map(nameAndAddress))}. Your service may have checked another one than is
          shown.
        </Banner>
      )}
      {sender.length > 0 && (
        <Banner icon="info">
          Sent by {listedAddresses(sender, from)} on behalf of {listed(from.map(nameAndAddress))}.
        </Banner>
      )}
      {replyTo.length > 0 && (
        <Banner icon={isElsewhere ? "warning" : "info"} kind={isElsewhere ? "problem" : "plain"}>
          {isList ? "This is a mailing list. " : ""}
          Replies {isSenderToo ? "also " : ""}go to {listedAddresses(replyTo, from)}
          {isElsewhere && !isSenderToo && from.length > 0
            ? `, not to ${listed(from.map(nameAndAddress))}`
            : ""}.
          {replyWarning ? ` ${replyWarning}` : ""}
        </Banner>
      )}
    </>
  );
}

/** The addresses that are not senders. */
function others(addresses: Address[], from: Address[]): Address[] {
  const known = new Set(from.map((one) => one.email.toLowerCase()));
  return addresses.filter((one) => one.email !== "" && !known.has(one.email.toLowerCase()));
}
