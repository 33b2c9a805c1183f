import { type Choice, type Desk, goOn } from "../../actions/goOn.ts";
import { isPartial as isPartialOf } from "../../actions/partial.ts";
import { useObservable } from "../../base/observable.ts";
import type { Mailbox } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import type { MailAccount } from "../../store/parts.ts";
import { counted } from "../../store/words.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { LabelChoice } from "./LabelChoice.tsx";
import { MailboxChoice } from "./MailboxChoice.tsx";

interface ChoiceDialogProps {
  choice: Choice;
  desk: Desk;
  onClose: () => void;
}

/** Where conversations go, or which labels they get and lose. */
export function ChoiceDialog({ choice, desk, onClose }: ChoiceDialogProps) {
  const app = useApp();
  const { verb, all = null } = choice;
  const emails = useObservable(app.emails);
  // What happened just before may reach the page only now.
  const targets = choice.targets.map((target) => ({
    ...target,
    emails: target.emails.map((email) => emails.get(target.accountId, email.id) ?? email),
  }));
  const isPartial = isPartialOf({ all, targets, desk });
  const account = accountOf(choice, (id) => app.account(id));
  const move = (to: Mailbox) => {
    onClose();
    goOn(desk, targets, (targets) => app.actions.perform({ verb: "move", to }, targets, all), desk.isNarrow);
  };
  const label = (added: Mailbox[], removed: Mailbox[]) => {
    onClose();
    app.actions.relabel(added, removed, targets, all);
  };
  const many = all ? desk.state.list.total : targets.length;
  const what = many === 1 ? "conversation" : counted(many, "conversation");
  const title = `${verb === "label" ? "Label" : "Move"} ${what}`;
  if (account && verb === "label") {
    return <LabelChoice {...{ title, account, targets, isPartial, onClose }} onChoose={label} />;
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {account ? <MailboxChoice {...{ account, targets, isPartial }} onChoose={move} /> : (
        <p>
          The selected conversations are in different accounts. Select conversations of one account to {verb}
          {" "}
          them.
        </p>
      )}
    </Dialog>
  );
}

/** The account of all conversations; undefined if they are in several. */
function accountOf(
  { targets, all = null }: Choice,
  account: (id: string) => MailAccount | undefined,
): MailAccount | undefined {
  const ids = new Set(targets.map(({ accountId }) => accountId));
  const [id] = ids;
  return ids.size === 1 && id && (all === null || all.sources.length === 1) ? account(id) : undefined;
}
