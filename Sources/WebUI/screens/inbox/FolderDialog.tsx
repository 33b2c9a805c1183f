import "./folders.css";
import { type FormEvent, useState } from "react";
import { useValue } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { createFolder, nounOf } from "../../store/folderChanges.ts";
import { useTask } from "../../store/useTask.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { SelectField, TextField } from "../../ui/fields.tsx";
import { EditFolder } from "./EditFolder.tsx";
import { FileSender } from "./FileSender.tsx";
import { FolderFooter } from "./FolderFooter.tsx";
import { ParentField } from "./ParentField.tsx";

/** The form for a new folder, for one that is there, or for where mail of a sender always goes. */
export function FolderDialog() {
  const app = useApp();
  const form = useValue(app.folderForm);
  const close = () => app.folderForm.value = null;
  if (form === null) return null;
  if (form.kind === "new") {
    return <NewFolder accountId={form.accountId} parentId={form.parentId} onClose={close} />;
  }
  const account = app.account(form.accountId);
  if (form.kind === "file") {
    return account ? <FileSender account={account} email={form.email} onClose={close} /> : null;
  }
  const mailbox = account?.mailboxes.get(form.mailboxId);
  return account && mailbox ? <EditFolder account={account} mailbox={mailbox} onClose={close} /> : null;
}

interface NewFolderProps {
  accountId: string | null;
  parentId: string | null;
  onClose: () => void;
}

function NewFolder({ accountId, parentId, onClose }: NewFolderProps) {
  const app = useApp();
  const { isBusy, problem, run } = useTask();
  const accounts = app.accounts.filter(({ mayCreateFolders }) => mayCreateFolders);
  const [account, setAccount] = useState(() => app.account(accountId ?? accounts[0]?.id));
  const [name, setName] = useState("");
  const [parent, setParent] = useState(parentId);
  if (!account) return null;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (await run(() => createFolder(account, { name, parentId: parent }))) {
      onClose();
      app.toasts.show(`“${name.trim()}” created`);
    }
  };
  const choose = (id: string) => {
    setAccount(app.account(id));
    setParent(null);
  };
  return (
    <Dialog
      title={`New ${nounOf(account)}`}
      onClose={onClose}
      footer={<FolderFooter word="Create" isBusy={isBusy} onClose={onClose} />}
    >
      <form id="folder" className="form" noValidate onSubmit={save}>
        <TextField
          label="Name"
          data-autofocus
          autoComplete="off"
          value={name}
          problem={problem}
          onChange={setName}
        />
        {accountId === null && accounts.length > 1 && (
          <SelectField
            label="Account"
            value={account.id}
            options={accounts.map(({ id, name }) => ({
              value: id,
              label: app.accountSettings.get(id)?.displayName || name,
            }))}
            onChange={choose}
          />
        )}
        <ParentField account={account} value={parent} onChange={setParent} />
      </form>
    </Dialog>
  );
}
