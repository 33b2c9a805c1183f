import { useId } from "react";
import { words } from "../../jmap/errors.ts";
import { useApp } from "../../store/app.ts";
import { useAll, useObservable } from "../../base/observable.ts";
import { Icon } from "../../ui/Icon.tsx";
import type { Composer } from "./composer.ts";
import { composersOf } from "./composers.ts";
import { changeSignature } from "./signature.ts";

/** The sender, if there is a choice, and what keeps its account from sending. */
export function SenderField({ composer }: { composer: Composer }) {
  const settings = useObservable(useApp().accountSettings);
  return (
    <>
      <SenderChoice composer={composer} />
      {settings.get(composer.accountId)?.status === "paused" && (
        <p className="line field-hint">
          This account is paused. The message is sent after you resume the account in Settings.
        </p>
      )}
    </>
  );
}

/** A reply stays in the account of its source. */
function SenderChoice({ composer }: { composer: Composer }) {
  const app = useApp();
  const settings = useObservable(app.accountSettings);
  const composers = composersOf(app);
  const id = useId();
  const accounts = composer.mode === "new" ? composers.accounts : [composer.accountId];
  useAll(accounts.map((accountId) => composers.identities(accountId)));
  const senders = composers.senders.filter(({ accountId }) => accounts.includes(accountId));
  const current = senders.find(({ accountId, identity }) =>
    accountId === composer.accountId && identity.id === composer.identityId
  );
  // One that was removed is not shown as if the first were chosen.
  const isGone = !current && composers.identities(composer.accountId).status === "ready";
  if (senders.length < 2 && !isGone) return null;
  const key = (accountId: string, identityId: string) => `${accountId}/${identityId}`;
  return (
    <div className="line">
      <label className="line-label" htmlFor={id}>From</label>
      <span className="line-select">
        <select
          id={id}
          value={key(composer.accountId, composer.identityId)}
          onChange={(event) => {
            const chosen = senders.find((sender) =>
              key(sender.accountId, sender.identity.id) === event.currentTarget.value
            );
            if (!chosen) return;
            composer.sendAs(chosen.accountId, chosen.identity.id)
              .then(() => changeSignature(composer, current?.identity ?? null, chosen.identity))
              .catch((error) => app.toasts.problem(words(error)));
          }}
        >
          {isGone && (
            <option value={key(composer.accountId, composer.identityId)} disabled>Address removed</option>
          )}
          {senders.map(({ accountId, identity }) => (
            <option key={key(accountId, identity.id)} value={key(accountId, identity.id)}>
              {identity.name ? `${identity.name} <${identity.email}>` : identity.email}
              {settings.get(accountId)?.status === "paused" ? " (paused)" : ""}
            </option>
          ))}
        </select>
        <Icon name="chevronDown" />
      </span>
    </div>
  );
}
