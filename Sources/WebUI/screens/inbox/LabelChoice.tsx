import { type FormEvent, useState } from "react";
import type { Mailbox } from "../../jmap/types.ts";
import { createFolder } from "../../store/folderChanges.ts";
import { foldersOf } from "../../store/folders.ts";
import type { MailAccount } from "../../store/parts.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FieldProblem } from "../../ui/fields.tsx";
import { CreateItem } from "./CreateItem.tsx";
import { LabelBox } from "./LabelBox.tsx";
import { type Chosen, difference, type Labeled, switched, wantedShare } from "./labelShare.ts";
import { isMissing, matching } from "./mailboxSearch.ts";

interface LabelChoiceProps extends Labeled {
  title: string;
  account: MailAccount;
  onChoose: (added: Mailbox[], removed: Mailbox[]) => void;
  onClose: () => void;
}

/**
 * The labels that conversations get and lose. Type a part of a name: Enter switches the first one and applies all, or
 * creates a label where there is none.
 */
export function LabelChoice(props: LabelChoiceProps) {
  const { title, account, onClose } = props;
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const [text, setText] = useState("");
  const { isBusy, problem, apply, create } = useLabeling(props, text.trim());
  const { list } = account.mailboxes;
  const found = matching(labelsOf(account), text);
  const isNew = account.mayCreateFolders && isMissing(list, text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [first] = found;
    if (text.trim() === "") apply(chosen);
    else if (first) apply(switched(chosen, props, first));
    else if (isNew) create(chosen);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={<Footer isBusy={isBusy} onApply={() => apply(chosen)} onClose={onClose} />}
    >
      <form onSubmit={submit}>
        <FindField hasCreation={account.mayCreateFolders} text={text} onChange={setText} />
        <ul className="move-list">
          {found.map((label) => (
            <li key={label.id}>
              <LabelBox
                {...{ label, account }}
                share={wantedShare(chosen, props, label)}
                onToggle={() => setChosen(switched(chosen, props, label))}
              />
            </li>
          ))}
          {isNew && <CreateItem name={text.trim()} isBusy={isBusy} onCreate={() => create(chosen)} />}
        </ul>
        {problem && <FieldProblem>{problem}</FieldProblem>}
        {found.length === 0 && !isNew && <p role="status">No labels found.</p>}
      </form>
    </Dialog>
  );
}

function labelsOf({ mailboxes }: MailAccount): Mailbox[] {
  return foldersOf(mailboxes.list).map(({ mailbox }) => mailbox)
    .filter(({ role, myRights }) => role === null && myRights["mayAddItems"] !== false);
}

/** Applies what was switched, with a new label or without. */
function useLabeling(props: LabelChoiceProps, name: string) {
  const { account, onChoose } = props;
  const { isBusy, problem, run } = useTask();
  const apply = (chosen: Chosen, ...made: Mailbox[]) => {
    const { added, removed } = difference(chosen, props, labelsOf(account));
    onChoose([...made, ...added], removed);
  };
  const create = (chosen: Chosen) => {
    if (!isBusy) void run(async () => apply(chosen, await createFolder(account, { name, parentId: null })));
  };
  return { isBusy, problem, apply, create };
}

interface FindFieldProps {
  hasCreation: boolean;
  text: string;
  onChange: (text: string) => void;
}

function FindField({ hasCreation, text, onChange }: FindFieldProps) {
  return (
    <input
      className="input"
      type="search"
      data-autofocus
      aria-label="Find a label"
      placeholder={hasCreation ? "Find or create" : "Find"}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function Footer(
  { isBusy, onApply, onClose }: { isBusy: boolean; onApply: () => void; onClose: () => void },
) {
  return (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={isBusy} onClick={onApply}>Apply</Button>
    </>
  );
}
