import { fileSender } from "../../actions/ruling.ts";
import type { EmailHeader, Mailbox } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { displayName } from "../../store/words.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { MailboxChoice } from "./MailboxChoice.tsx";

interface FileSenderProps {
  account: MailAccount;
  email: EmailHeader;
  onClose: () => void;
}

/** Where later mail of a sender goes, by a rule, and this message now. */
export function FileSender({ account, email, onClose }: FileSenderProps) {
  const app = useApp();
  const [sender] = email.from ?? [];
  if (!sender) return null;
  const target = { accountId: account.id, threadId: email.threadId, emails: [email], mailboxId: null };
  const choose = (to: Mailbox) => {
    onClose();
    app.actions.perform({ verb: "move", to, isPart: true }, [target]);
    void fileSender(app, account, sender.email, to);
  };
  return (
    <Dialog title={`Always move mail from ${displayName(sender)} to`} onClose={onClose}>
      <MailboxChoice {...{ account }} targets={[target]} isPartial={false} onChoose={choose} />
    </Dialog>
  );
}
