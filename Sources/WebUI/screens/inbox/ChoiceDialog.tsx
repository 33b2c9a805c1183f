import { useMemo, useState } from "react";
import { type Choice, type Desk, goOn } from "../../actions/goOn.ts";
import type { Mailbox } from "../../jmap/types.ts";
import { type App, useApp } from "../../store/app.ts";
import { wouldTake } from "../../store/prospects.ts";
import { mailboxTitle } from "../../store/scope.ts";
import type { Target } from "../../store/target.ts";
import { counted } from "../../store/words.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { Icon } from "../../ui/Icon.tsx";

interface ChoiceDialogProps {
  choice: Choice;
  desk: Desk;
  onClose: () => void;
}

/** Where conversations go, or which label they get or lose: type a part of its name, Enter takes the first. */
export function ChoiceDialog({ choice, desk, onClose }: ChoiceDialogProps) {
  const app = useApp();
  const { verb, targets, all = null } = choice;
  const [first] = targets;
  const isOneAccount = targets.every((target) => target.accountId === first?.accountId) &&
    (all === null || all.sources.length === 1);
  const choose = (to: Mailbox) => {
    onClose();
    if (verb === "label") {
      app.actions.perform({ verb: hasLabel(targets, to) ? "unlabel" : "label", to }, targets, all);
    } else {
      goOn(desk, targets, (targets) => app.actions.perform({ verb, to }, targets, all), desk.isNarrow);
    }
  };
  const many = all ? desk.state.list.total : targets.length;
  const what = many === 1 ? "conversation" : counted(many, "conversation");
  return (
    <Dialog title={`${verb === "label" ? "Label" : "Move"} ${what}`} onClose={onClose}>
      {isOneAccount ? <MailboxChoice choice={choice} onChoose={choose} /> : (
        <p>
          The selected conversations are in different accounts. Select conversations of one account to {verb}
          {" "}
          them.
        </p>
      )}
    </Dialog>
  );
}

function MailboxChoice({ choice, onChoose }: { choice: Choice; onChoose: (mailbox: Mailbox) => void }) {
  const app = useApp();
  const [text, setText] = useState("");
  const all = useMemo(() => mailboxesFor(app, choice), [app, choice]);
  const wanted = text.trim().toLowerCase();
  const mailboxes = all.filter((mailbox) => mailboxTitle(mailbox).toLowerCase().includes(wanted));
  const [best] = mailboxes;
  const isLabel = choice.verb === "label";
  return (
    <>
      <input
        className="input"
        type="search"
        data-autofocus
        aria-label={isLabel ? "Find a label" : "Find a folder"}
        placeholder="Find"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && best && onChoose(best)}
      />
      <ul className="move-list">
        {mailboxes.map((mailbox) => {
          const isOn = isLabel && hasLabel(choice.targets, mailbox);
          return (
            <li key={mailbox.id}>
              <button
                type="button"
                className="menu-item"
                aria-pressed={isLabel ? isOn : undefined}
                onClick={() => onChoose(mailbox)}
              >
                <Icon name={isOn ? "check" : isLabel ? "tag" : "folder"} />
                <span className="menu-label">{mailboxTitle(mailbox)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {mailboxes.length === 0 && <p role="status">{isLabel ? "No labels found." : "No folders found."}</p>}
    </>
  );
}

/** Whether all conversations have the label; choosing it takes it away then. */
function hasLabel(targets: Target[], { id }: Mailbox): boolean {
  return targets.every(({ emails }) => emails.some(({ mailboxIds }) => mailboxIds[id]));
}

/** The labels, or the mailboxes of the account that could take any of it. */
function mailboxesFor(app: App, { verb, targets }: Choice): Mailbox[] {
  return (app.account(targets[0]?.accountId)?.mailboxes.list ?? [])
    .filter((mailbox) => mailbox.myRights["mayAddItems"] !== false && mailbox.role !== "drafts")
    .filter((mailbox) =>
      verb === "label" ? mailbox.role === null : targets.some((target) => wouldTake(target, mailbox))
    )
    .sort((left, right) => left.sortOrder - right.sortOrder || left.name.localeCompare(right.name));
}
