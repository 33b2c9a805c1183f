import { useState } from "react";
import type { Id, Identity } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { useSave } from "../../store/useTask.ts";
import { useAll } from "../../base/observable.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { composersOf } from "../composer/composers.ts";
import { IdentityDialog } from "./IdentityDialog.tsx";
import { ActionRow } from "./Row.tsx";

/** The addresses that messages are sent from, each with its name and its signatures. */
export function Identities() {
  const app = useApp();
  const composers = composersOf(app);
  const { accounts, senders } = composers;
  useAll([app, ...accounts.map((accountId) => composers.identities(accountId))]);
  const [edited, setEdited] = useState<{ accountId: Id; identity: Identity | null } | null>(null);
  const [first] = accounts;
  if (!first) return null;
  return (
    <>
      <ActionRow
        title="Senders"
        text="The addresses that you send from, aliases too, each with a name and signatures."
      >
        <Button icon="plus" onClick={() => setEdited({ accountId: first, identity: null })}>
          Add address
        </Button>
      </ActionRow>
      {senders.map(({ accountId, identity }) => (
        <IdentityRow
          key={`${accountId}/${identity.id}`}
          accountId={accountId}
          identity={identity}
          onEdit={() => setEdited({ accountId, identity })}
        />
      ))}
      {edited && <IdentityDialog {...edited} onClose={() => setEdited(null)} />}
    </>
  );
}

interface IdentityRowProps {
  accountId: Id;
  identity: Identity;
  onEdit: () => void;
}

function IdentityRow({ accountId, identity, onEdit }: IdentityRowProps) {
  const app = useApp();
  const { save } = useSave();
  const { name, email, htmlSignature, textSignature, replySignature, mayDelete } = identity;
  const has = htmlSignature || textSignature ? "Signature" : "No signature";
  const another = replySignature == null
    ? ""
    : replySignature
    ? ", another for replies"
    : ", none for replies";
  const remove = async () => {
    const isSure = await app.dialogs.confirm({
      title: `Remove ${email}?`,
      text: "You can no longer choose this address as a sender. Its signatures are deleted.",
      confirm: "Remove",
      isDestructive: true,
    });
    if (isSure) await save(() => app.records<Identity>("Identity", accountId).destroy(identity.id));
  };
  return (
    <ActionRow title={name ? `${name} <${email}>` : email} text={has + another}>
      <Button onClick={onEdit} aria-label={`Edit name and signatures of ${email}`}>Edit</Button>
      {mayDelete && <IconButton icon="trash" label={`Remove ${email}`} onClick={remove} />}
    </ActionRow>
  );
}
