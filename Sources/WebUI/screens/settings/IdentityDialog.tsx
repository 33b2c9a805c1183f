import { type FormEvent, useState } from "react";
import type { Id, Identity } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FieldProblem, SelectField, Switch, TextField } from "../../ui/fields.tsx";
import { composersOf } from "../composer/composers.ts";
import { RichField } from "../composer/RichField.tsx";
import { signatureOf } from "../composer/signature.ts";

interface IdentityDialogProps {
  accountId: Id;
  /** Null to add one. */
  identity: Identity | null;
  onClose: () => void;
}

/** The name and the signatures of an address, or another address to send from. */
export function IdentityDialog({ accountId: first, identity, onClose }: IdentityDialogProps) {
  const app = useApp();
  const { isBusy, problem, run } = useTask();
  const [accountId, setAccount] = useState(first);
  const [name, setName] = useState(identity?.name ?? "");
  const [email, setEmail] = useState(identity?.email ?? "");
  const [htmlSignature, setSignature] = useState(() => identity ? signatureOf(identity, false) : "");
  const [replySignature, setReply] = useState(identity?.replySignature ?? null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const records = app.records<Identity>("Identity", accountId);
    const values = { name: name.trim(), htmlSignature, replySignature, textSignature: "" };
    const isSaved = await run(async () => {
      if (identity) await records.save(identity.id, values);
      else await records.create({ ...values, email: email.trim() });
      await records.load();
    });
    if (isSaved) onClose();
  };
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="identity" disabled={isBusy || !email.trim()}>Save</Button>
    </>
  );
  return (
    <Dialog title={identity?.email ?? "Add address"} isWide onClose={onClose} footer={buttons}>
      <form id="identity" className="form" noValidate onSubmit={save}>
        {!identity && <NewAddress {...{ accountId, setAccount, email, setEmail }} />}
        <TextField
          label="Name"
          hint="Shown to recipients."
          autoComplete="name"
          maxLength={200}
          value={name}
          onChange={setName}
          {...(identity && { "data-autofocus": true })}
        />
        <RichField label="Signature" html={htmlSignature} onChange={setSignature} />
        <Switch
          label="Different signature for replies"
          hint="Also used for forwarded messages. Leave it empty for none."
          isOn={replySignature !== null}
          onChange={(isOn) => setReply(isOn ? htmlSignature : null)}
        />
        {replySignature !== null && (
          <RichField label="Signature for replies" html={replySignature} onChange={setReply} />
        )}
        {problem && <FieldProblem>{problem}</FieldProblem>}
      </form>
    </Dialog>
  );
}

interface NewAddressProps {
  accountId: Id;
  setAccount: (accountId: Id) => void;
  email: string;
  setEmail: (email: string) => void;
}

function NewAddress({ accountId, setAccount, email, setEmail }: NewAddressProps) {
  const app = useApp();
  const accounts = composersOf(app).accounts;
  return (
    <>
      {accounts.length > 1 && (
        <SelectField
          label="Account"
          value={accountId}
          options={accounts.map((value) => ({ value, label: app.account(value)?.name ?? value }))}
          onChange={setAccount}
        />
      )}
      <TextField
        label="Address"
        hint="An alias of this account. Its server decides whether you may send from it."
        type="email"
        data-autofocus
        autoComplete="email"
        value={email}
        onChange={setEmail}
      />
    </>
  );
}
