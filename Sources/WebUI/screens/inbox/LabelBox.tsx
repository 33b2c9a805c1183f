import { folderTint } from "../../actions/folderIcon.ts";
import type { Mailbox } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { looksOf } from "../../store/folderLooks.ts";
import type { MailAccount } from "../../store/parts.ts";
import { mailboxTitle } from "../../store/scope.ts";
import { Icon } from "../../ui/Icon.tsx";
import type { Share } from "./labelShare.ts";
import { Path } from "./MailboxChoice.tsx";

interface LabelBoxProps {
  label: Mailbox;
  account: MailAccount;
  share: Share;
  onToggle: () => void;
}

/** A label that conversations have, or not, or only some of them. */
export function LabelBox({ label, account, share, onToggle }: LabelBoxProps) {
  const app = useApp();
  return (
    <label className={`label-choice ${folderTint(looksOf(app, account.id, label).color)}`}>
      <input
        type="checkbox"
        checked={share === "all"}
        ref={(box) => {
          if (box) box.indeterminate = share === "some";
        }}
        onChange={onToggle}
      />
      <Icon name="tag" />
      <span className="menu-label">
        {mailboxTitle(label)} <Path list={account.mailboxes.list} mailbox={label} />
      </span>
    </label>
  );
}
