import { type FormEvent, useState } from "react";
import type { Mailbox } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { nounOf, placeFolder, showFolder } from "../../store/folderChanges.ts";
import { type FolderLooks, looksOf, setLooks } from "../../store/folderLooks.ts";
import type { MailAccount } from "../../store/parts.ts";
import { mailboxTitle } from "../../store/scope.ts";
import { useTask } from "../../store/useTask.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { Switch, TextField } from "../../ui/fields.tsx";
import { ColorChoice } from "./ColorChoice.tsx";
import { FolderFooter } from "./FolderFooter.tsx";
import { ParentField } from "./ParentField.tsx";

interface EditFolderProps {
  account: MailAccount;
  mailbox: Mailbox;
  onClose: () => void;
}

/** The form for a folder that is there. */
export function EditFolder({ account, mailbox, onClose }: EditFolderProps) {
  const app = useApp();
  const { isBusy, problem, run } = useTask();
  const [name, setName] = useState(mailboxTitle(mailbox));
  const [parentId, setParent] = useState(mailbox.parentId);
  const [looks, setLook] = useState(looksOf(app, account.id, mailbox));
  const [isShown, setShown] = useState(mailbox.isSubscribed);
  const noun = nounOf(account);
  const isFixed = mailbox.role !== null || mailbox.myRights["mayRename"] === false;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (!isFixed && !(await run(() => placeFolder(account, mailbox, { name, parentId })))) return;
    onClose();
    if (isShown !== mailbox.isSubscribed) void showFolder(app, account, mailbox.id, isShown);
    void setLooks(app, account.id, mailbox, looks);
  };
  return (
    <Dialog
      title={`Edit ${mailbox.role === null ? noun : mailboxTitle(mailbox)}`}
      onClose={onClose}
      footer={<FolderFooter word="Save" isBusy={isBusy} onClose={onClose} />}
    >
      <form id="folder" className="form" noValidate onSubmit={save}>
        <TextField
          label="Name"
          data-autofocus
          autoComplete="off"
          value={name}
          disabled={isFixed}
          hint={isFixed ? `The service does not allow this ${noun} to be renamed or moved.` : null}
          problem={problem}
          onChange={setName}
        />
        {!isFixed && (
          <ParentField
            account={account}
            mailbox={mailbox}
            value={parentId}
            onChange={setParent}
          />
        )}
        <Looks looks={looks} onChange={(some) => setLook({ ...looks, ...some })} />
        {mailbox.role === null && <Switch label="Show in the list" isOn={isShown} onChange={setShown} />}
      </form>
    </Dialog>
  );
}

function Looks({ looks, onChange }: { looks: FolderLooks; onChange: (some: Partial<FolderLooks>) => void }) {
  return (
    <>
      <ColorChoice value={looks.color} onChange={(color) => onChange({ color })} />
      <Switch
        label="Favorite"
        hint="Also listed above all folders."
        isOn={looks.isFavorite}
        onChange={(isFavorite) => onChange({ isFavorite })}
      />
      <Switch
        label="Show the unread count"
        isOn={looks.isCounted}
        onChange={(isCounted) => onChange({ isCounted })}
      />
    </>
  );
}
