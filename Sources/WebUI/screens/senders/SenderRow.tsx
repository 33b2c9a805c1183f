import { WordButtons } from "../../actions/ActionButtons.tsx";
import { menuItems } from "../../actions/offers.ts";
import { SENDER, type SenderSubject } from "../../actions/senders.ts";
import type { Sender } from "../../jmap/senders.ts";
import { useApp } from "../../store/app.ts";
import type { SenderList } from "../../store/senderList.ts";
import { unsubscribedWords } from "../../store/unsubscribeWords.ts";
import { count, counted, displayName, inOrder, spokenDay } from "../../store/words.ts";
import { Avatar } from "../../ui/Avatar.tsx";
import { Breakable } from "../../ui/Breakable.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { MenuButton } from "../../ui/Menu.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";
import { leaveList, mayLeaveAgain } from "../conversation/useUnsubscription.ts";

/** A sender: how much came, how much of it was read, and what can be done. */
export function SenderRow({ list, sender }: { list: SenderList; sender: Sender }) {
  const app = useApp();
  const { email, unsubscribed } = sender;
  const name = displayName(sender);
  const own = list.lists.get(sender.lastEmailId);
  const mayLeave = own && own.methods.length > 0 && mayLeaveAgain(own);
  const subject: SenderSubject = {
    app,
    targets: [],
    accountId: list.accountId,
    sender,
    unsubscribe: mayLeave ? () => void leaveList(app, list.accountId, own, name) : null,
    archive: () => void list.archive(sender),
  };
  return (
    <li className="setting sender">
      <Avatar name={name} email={email} />
      <div className="sender-words">
        <p className="sender-name">
          {sender.warning && <WarningMark warning={sender.warning} />}
          <strong>{name}</strong>
          {name !== inOrder(email) && <Breakable address={email} />}
        </p>
        <p className="field-hint">{facts(sender)}</p>
        {unsubscribed && unsubscribed.state !== "none" && (
          <p className={unsubscribed.isStillSending ? "sender-problem" : "field-hint"}>
            <Icon name={unsubscribed.isStillSending ? "warning" : "check"} />{" "}
            {unsubscribedWords(unsubscribed)}
          </p>
        )}
      </div>
      <div className="setting-buttons">
        <WordButtons
          actions={SENDER}
          subject={subject}
          place="senderRow"
          aria-label={`Unsubscribe from ${name}`}
        />
        <MenuButton label={`More for ${name}`} items={menuItems(SENDER, subject, "senderMenu")} />
      </div>
    </li>
  );
}

/** `12 messages in 90 days, 40 in all · 25 % read · last on 3 May` */
function facts({ recent, total, read, lastAt }: Sender): string {
  const share = Math.round(100 * read / Math.max(1, total));
  return `${counted(recent, "message")} in 90 days, ${count(total)} in all · ${share}% read · last on ${
    spokenDay(lastAt)
  }`;
}
