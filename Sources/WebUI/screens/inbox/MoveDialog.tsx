import { useMemo, useState } from "react";
import { type Desk, goOn } from "../../actions/goOn.ts";
import type { Mailbox } from "../../jmap/types.ts";
import { type App, useApp } from "../../store/app.ts";
import { wouldMove } from "../../store/prospects.ts";
import { mailboxTitle } from "../../store/scope.ts";
import type { Target } from "../../store/target.ts";
import { counted } from "../../store/words.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { Icon } from "../../ui/Icon.tsx";

interface MoveDialogProps {
  targets: Target[];
  desk: Desk;
  onClose: () => void;
}

/** Where to move conversations to: type a part of its name, Enter takes the first. */
export function MoveDialog({ targets, desk, onClose }: MoveDialogProps) {
  const app = useApp();
  const [first] = targets;
  const isOneAccount = targets.every((target) => target.accountId === first?.accountId);
  const move = (to: Mailbox) => {
    onClose();
    goOn(desk, targets, (targets) => app.actions.perform({ verb: "move", to }, targets), desk.isNarrow);
  };
  return (
    <Dialog
      title={`Move ${targets.length === 1 ? "conversation" : counted(targets.length, "conversation")}`}
      onClose={onClose}
    >
      {isOneAccount ? <MailboxChoice targets={targets} onChoose={move} /> : (
        <p>
          The selected conversations are in different accounts. Select conversations of one account to move
          them.
        </p>
      )}
    </Dialog>
  );
}

function MailboxChoice({ targets, onChoose }: { targets: Target[]; onChoose: (mailbox: Mailbox) => void }) {
  const app = useApp();
  const [text, setText] = useState("");
  const all = useMemo(() => mailboxesFor(app, targets), [app, targets]);
  const wanted = text.trim().toLowerCase();
  const mailboxes = all.filter((mailbox) => mailboxTitle(mailbox).toLowerCase().includes(wanted));
  const [best] = mailboxes;
  return (
    <>
      <input
        className="input"
        type="search"
        data-autofocus
        aria-label="Find a mailbox"
        placeholder="Find"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && best && onChoose(best)}
      />
      <ul className="move-list">
        {mailboxes.map((mailbox) => (
          <li key={mailbox.id}>
            <button type="button" className="menu-item" onClick={() => onChoose(mailbox)}>
              <Icon name="folder" />
              <span className="menu-label">{mailboxTitle(mailbox)}</span>
            </button>
          </li>
        ))}
      </ul>
      {mailboxes.length === 0 && <p role="status">No folders found.</p>}
    </>
  );
}

/** The mailboxes of the account that would take any of it. */
function mailboxesFor(app: App, targets: Target[]): Mailbox[] {
  return (app.account(targets[0]?.accountId)?.mailboxes.list ?? [])
    .filter((mailbox) => mailbox.myRights["mayAddItems"] !== false && mailbox.role !== "drafts")
    .filter((mailbox) => targets.some((target) => wouldMove(app, target, mailbox)))
    .sort((left, right) => left.sortOrder - right.sortOrder || left.name.localeCompare(right.name));
}
