import type { Address } from "../../jmap/types.ts";
import { isOwn } from "../../store/ownMail.ts";
import { listed, listedAddresses, nameAndAddress } from "../../store/words.ts";
import { Banner } from "../../ui/states.tsx";
import type { Composer } from "./composer.ts";

/** Says where a reply goes if that is not plain: not to the sender, or to others besides. */
export function ReplyNotice({ composer }: { composer: Composer }) {
  const text = noticeOf(composer);
  if (!text) return null;
  return (
    <div className="composer-note">
      <Banner icon="info">{text}</Banner>
    </div>
  );
}

function noticeOf({ app, accountId, mode, source, recipients, addressed }: Composer): string | null {
  if (mode !== "reply" && mode !== "replyAll") return null;
  const from = (source?.from ?? []).filter(({ email }) => email !== "");
  const to = recipients.in.to;
  if (!source || from.length === 0 || to.length === 0 || isOwn(app, accountId, source)) return null;
  const written = keys(recipients.all);
  if (!from.some(({ email }) => written.has(email.toLowerCase()))) {
    return `This reply goes to ${listedAddresses(to, from)}, not to the sender ` +
      `${listed(from.map(nameAndAddress))}.`;
  }
  // The message itself asked for more addresses, under any name: the user did not choose them.
  const known = keys([...from, ...(source.to ?? [])]);
  const asked = keys(addressed);
  const others = to.map((address) => ({ address, key: address.email.toLowerCase() }))
    .filter(({ key }) => asked.has(key) && !known.has(key)).map(({ address }) => address);
  return others.length > 0 ? `This reply also goes to ${listedAddresses(others, from)}.` : null;
}

function keys(addresses: Address[]): Set<string> {
  return new Set(addresses.map(({ email }) => email.toLowerCase()));
}
