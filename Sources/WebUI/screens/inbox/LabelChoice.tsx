import { type FormEvent, useState } from "react";
import type { Id, Mailbox } from "../../jmap/types.ts";
import { createFolder } from "../../store/folderChanges.ts";
import { foldersOf } from "../../store/folders.ts";
import type { MailAccount } from "../../store/parts.ts";
import { mailboxTitle } from "../../store/scope.ts";
import type { Target } from "../../store/target.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FieldProblem } from "../../ui/fields.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { isMissing, matching } from "./mailboxSearch.ts";
import { Path } from "./MailboxChoice.tsx";

interface LabelChoiceProps {
  title: string;
  account: MailAccount;
  targets: Target[];
  onChoose: (added: Mailbox[], removed: Mailbox[]) => void;
  onClose: () => void;
}

/** How many of the conversations have a label. */
type Share = "all" | "some" | "none";

/**
 * The labels that conversations get and lose. Type a part of a name: Enter switches the first one and applies all, or
 * creates a label where there is none.
 */
export function LabelChoice({ title, account, targets, onChoose, onClose }: LabelChoiceProps) {
  const { isBusy, problem, run } = useTask();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<Map<Id, boolean>>(new Map());
  const { list } = account.mailboxes;
  const labels = foldersOf(list).map(({ mailbox }) => mailbox)
    .filter(({ role, myRights }) => role === null && myRights["mayAddItems"] !== false);
  const found = matching(labels, text);
  const name = text.trim();
  const isNew = account.mayCreateFolders && isMissing(list, name);
  const switched = (label: Mailbox) => new Map(chosen).set(label.id, !isOn(chosen, targets, label));
  const create = () =>
    run(async () => apply(new Map(chosen), await createFolder(account, { name, parentId: null })));

  function apply(wanted: Map<Id, boolean>, ...made: Mailbox[]): void {
    const changed = (to: boolean, share: Share) =>
      labels.filter((label) => wanted.get(label.id) === to && shareOf(targets, label) !== share);
    onChoose([...made, ...changed(true, "all")], changed(false, "none"));
  }

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [first] = found;
    if (isBusy) return;
    if (name === "") apply(chosen);
    else if (first) apply(switched(first));
    else if (isNew) void create();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={isBusy} onClick={() => apply(chosen)}>Apply</Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer}>
      <form onSubmit={submit}>
        <input
          className="input"
          type="search"
          data-autofocus
          aria-label="Find a label"
          placeholder={account.mayCreateFolders ? "Find or create" : "Find"}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <ul className="move-list">
          {found.map((label) => (
            <li key={label.id}>
              <LabelBox
                label={label}
                list={list}
                share={chosen.has(label.id)
                  ? isOn(chosen, targets, label) ? "all" : "none"
                  : shareOf(targets, label)}
                onToggle={() => setChosen(switched(label))}
              />
            </li>
          ))}
          {isNew && (
            <li>
              <button type="button" className="menu-item" disabled={isBusy} onClick={create}>
                <Icon name="plus" />
                <span className="menu-label">Create “{name}”</span>
              </button>
            </li>
          )}
        </ul>
        {problem && <FieldProblem>{problem}</FieldProblem>}
        {found.length === 0 && !isNew && <p role="status">No labels found.</p>}
      </form>
    </Dialog>
  );
}

interface LabelBoxProps {
  label: Mailbox;
  list: Mailbox[];
  share: Share;
  onToggle: () => void;
}

function LabelBox({ label, list, share, onToggle }: LabelBoxProps) {
  return (
    <label className="label-choice">
      <input
        type="checkbox"
        checked={share === "all"}
        ref={(box) => {
          if (box) box.indeterminate = share === "some";
        }}
        onChange={onToggle}
      />
      <span className="menu-label">
        {mailboxTitle(label)} <Path list={list} mailbox={label} />
      </span>
    </label>
  );
}

/** As the user has switched it, or else whether all have it. */
function isOn(chosen: Map<Id, boolean>, targets: Target[], label: Mailbox): boolean {
  return chosen.get(label.id) ?? shareOf(targets, label) === "all";
}

function shareOf(targets: Target[], { id }: Mailbox): Share {
  const having = targets.filter(({ emails }) => emails.some(({ mailboxIds }) => mailboxIds[id]));
  return having.length === 0 ? "none" : having.length === targets.length ? "all" : "some";
}
