import { useObservable, useValue } from "../../base/observable.ts";
import { type App, useApp } from "../../store/app.ts";
import { count } from "../../store/words.ts";
import { Progress } from "../../ui/states.tsx";

/** What accounts are busy with, said once it begins and once it ends. */
export function SyncProgress() {
  const app = useApp();
  const statuses = useObservable(app.syncStatus);
  const isReachable = useValue(app.isReachable);
  // Accounts are idle while the program is gone.
  const busy = statuses.list.filter(({ phase }) =>
    isReachable && (phase === "syncing" || phase === "connecting")
  );
  return (
    <div className="sync" role="status">
      {busy.map((status) => (
        <div key={status.id} className="sync-account">
          <span className="sync-text">
            {syncText(app, status.id, status.phase === "connecting", status.progress)}
          </span>
          <Progress
            label={`Getting mail for ${app.account(status.id)?.name ?? "an account"}`}
            done={status.progress?.done ?? 0}
            total={status.progress?.total ?? null}
          />
        </div>
      ))}
    </div>
  );
}

function syncText(
  app: App,
  id: string,
  isConnecting: boolean,
  progress: { done: number; total: number } | null,
): string {
  const name = app.account(id)?.name ?? "an account";
  if (isConnecting) return `Connecting to ${name}`;
  return progress && progress.total > 0
    ? `Getting mail for ${name}: ${count(progress.done)} of ${count(progress.total)}`
    : `Getting mail for ${name}`;
}
