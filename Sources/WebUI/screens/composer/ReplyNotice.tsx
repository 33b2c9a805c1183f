import { listed, nameAndAddress } from "../../store/words.ts";
import { Banner } from "../../ui/states.tsx";
import type { Composer } from "./composer.ts";

/** Says that an answer does not go to the sender of the message that it answers. */
export function ReplyNotice({ composer }: { composer: Composer }) {
  const { source, recipients } = composer;
  if (composer.mode !== "reply" && composer.mode !== "replyAll") return null;
  const from = (source?.from ?? []).filter(({ email }) => email !== "");
  const to = recipients.in.to;
  const isOwn = from.some(({ email }) => composer.app.ownAddresses.has(email.toLowerCase()));
  const written = new Set(recipients.all.map(({ email }) => email.toLowerCase()));
  if (from.length === 0 || to.length === 0 || isOwn) return null;
  if (from.some(({ email }) => written.has(email.toLowerCase()))) return null;
  return (
    <div className="composer-note">
      <Banner icon="info">
        This reply goes to {listed(to.map(nameAndAddress))}, not to the sender{" "}
        {listed(from.map(nameAndAddress))}.
      </Banner>
    </div>
  );
}
