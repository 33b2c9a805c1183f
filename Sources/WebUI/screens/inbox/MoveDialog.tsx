import { useMemo, useState } from "react";
import type { Mailbox } from "../../jmap/types.ts";
import type { Target } from "../../store/target.ts";
import { useApp } from "../../store/app.ts";
import { mailboxTitle } from "../../store/scope.ts";
import { counted } from "../../store/words.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { Icon } from "../../ui/Icon.tsx";

interface MoveDialogProps {
  targets: Target[];
  onMove: (mailbox: Mailbox) => void;
  onClose: () => void;
}

/** Where to move conversations to: type a part of its name, Enter takes the first. */
export function MoveDialog({ targets, onMove, onClose }: MoveDialogProps) {
  const app = useApp();
  const [text, setText] = useState("");
  const account = app.account(targets[0]?.accountId);
  const isOneAccount = targets.every((target) => target.accountId === account?.id);
  const mailboxes = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return (account?.mailboxes.list ?? [])
      .filter((mailbox) => mailbox.myRights["mayAddItems"] !== false && mailbox.role !== "drafts")
      .filter((mailbox) => targets.some((target) => app.actions.wouldMove(target, mailbox)))
      .filter((mailbox) => mailboxTitle(mailbox).toLowerCase().includes(wanted))
      .sort((left, right) => left.sortOrder - right.sortOrder || left.name.localeCompare(right.name));
  }, [account, text, targets]);

  function move(mailbox: Mailbox | undefined): void {
    if (!mailbox) return;
    onClose();
    onMove(mailbox);
  }

  return (
    <Dialog
      title={`Move ${targets.length === 1 ? "conversation" : counted(targets.length, "conversation")}`}
      onClose={onClose}
    >
      {isOneAccount
        ? (
          <>
            <input
              className="input"
              type="search"
              data-autofocus
              aria-label="Find a mailbox"
              placeholder="Find"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              onKeyDown={(event) => event.key === "Enter" && move(mailboxes[0])}
            />
            <ul className="move-list">
              {mailboxes.map((mailbox) => (
                <li key={mailbox.id}>
                  <button type="button" className="menu-item" onClick={() => move(mailbox)}>
                    <Icon name="folder" />
                    <span className="menu-label">{mailboxTitle(mailbox)}</span>
                  </button>
                </li>
              ))}
            </ul>
            {mailboxes.length === 0 && <p role="status">No mailbox has this name.</p>}
          </>
        )
        : (
          <p>
            The selected conversations are in several accounts. Select those of one account to move them.
          </p>
        )}
    </Dialog>
  );
}
