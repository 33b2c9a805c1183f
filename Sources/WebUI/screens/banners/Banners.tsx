import type { ReactNode } from "react";
import { useApp } from "../../store/app.ts";
import { useObservable, useValue } from "../../base/observable.ts";
import { useMailStore } from "../../store/useMailStore.ts";
import { inOrder } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Banner } from "../../ui/states.tsx";
import { openSettings } from "../../actions/openSettings.ts";

/** Obstacles to new mail: no program, no network, no sign-in. Always rendered, so that it is announced. */
export function Banners({ children }: { children?: ReactNode }) {
  const app = useApp();
  const isReachable = useValue(app.isReachable);
  const isStoreResponding = useValue(app.isStoreResponding);
  // Everything else waits for both.
  const isReady = isReachable && isStoreResponding;
  const statuses = useObservable(app.syncStatus).list.filter((status) => status.problem !== null);
  const inactive = useObservable(app.accountSettings).list.filter((account) => account.status === "inactive");
  // With several accounts, the sidebar shows which are paused.
  const paused = app.accounts.length > 1
    ? []
    : app.accountSettings.list.filter((account) => account.status === "paused");
  // Servers say some of it.
  const why = (id: string) => inOrder(statuses.find((status) => status.id === id)?.problem ?? "");
  return (
    <div className="banners" role="status">
      <NoProgram />
      <SilentStore />
      {isReady && inactive.map((account) => (
        <Banner key={account.id} icon="warning" kind="problem">
          {account.address} is signed out, so mail is neither received nor sent. {why(account.id)}{" "}
          <Button kind="quiet" onClick={() => openSettings(app, "accounts", account.id)}>
            Sign in again
          </Button>
        </Banner>
      ))}
      {isReady && paused.map((account) => (
        <Banner key={account.id} icon="info">
          {account.address} is paused, so mail is neither received nor sent.{" "}
          <Button kind="quiet" onClick={() => openSettings(app, "accounts", account.id)}>Settings</Button>
        </Banner>
      ))}
      {isReady &&
        statuses.filter((status) => !inactive.some((account) => account.id === status.id)).map((status) => (
          <Banner key={status.id} icon="info" kind="problem">
            {app.accounts.length > 1 ? `${app.account(status.id)?.name ?? "An account"}: ` : ""}
            {why(status.id)}
          </Banner>
        ))}
      {isReady && children}
    </div>
  );
}

/** Reports on any screen that the program has ended. */
export function NoProgram() {
  const app = useApp();
  const isReachable = useValue(app.isReachable);
  if (isReachable) return null;
  return (
    <Banner icon="warning" kind="problem">
      mailkernel is not responding. You see mail that was loaded before; changes have to wait.{" "}
      <Button kind="quiet" onClick={() => app.refresh()}>Try again</Button>
    </Banner>
  );
}

/** Reports on any screen that the server with the mail does not respond. */
export function SilentStore() {
  const isReachable = useValue(useApp().isReachable);
  const store = useMailStore();
  if (!isReachable || !store) return null;
  if (store.isOffline) {
    return (
      <Banner icon="info">
        Working offline: {store.server}{" "}
        is not responding. Drafts and changes are kept on this computer; messages are sent when it responds
        again.
      </Banner>
    );
  }
  if (store.isResponding) return null;
  return (
    <Banner icon="warning" kind="problem">
      The store on {store.server}{" "}
      is not responding. You see mail that was loaded before; what you write is saved when it responds again.
    </Banner>
  );
}
