import { type MouseEvent, useEffect, useState } from "react";
import { words } from "../../jmap/errors.ts";
import { isAutomatic, isBusy, isOfRule, type Recorded } from "../../store/actionLog.ts";
import { type App, useApp } from "../../store/app.ts";
import { counted, spokenTime } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { EmptyState, FailedState, Progress, Spinner } from "../../ui/states.tsx";

/** The number of changes listed. */
const MOST = 50;

/** The latest changes to mail, each with the way to undo it. */
export function RecentDialog({ onClose }: { onClose: () => void }) {
  const { actions, problem, load } = useRecent();
  return (
    <Dialog title="Recent changes" isWide onClose={onClose}>
      {problem !== null && (
        <FailedState title="The changes could not be loaded" reason={problem} retry={load} />
      )}
      {problem === null && actions === null && <Spinner label="Loading the changes" />}
      {actions?.length === 0 && (
        <EmptyState icon="clock" title="No changes yet" text="You can undo changes here for 30 days." />
      )}
      <ul className="changes">
        {actions?.map((action) => <Entry key={`${action.accountId}/${action.id}`} action={action} />)}
      </ul>
    </Dialog>
  );
}

/** The newest changes, kept up to date. */
function useRecent() {
  const app = useApp();
  const [actions, setActions] = useState<Recorded[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const load = async () => {
    try {
      const newest = await app.actions.log.newest(MOST);
      setActions(
        newest.filter(({ changed, refused, state }) => changed + refused > 0 || state === "running"),
      );
      setProblem(null);
    } catch (error) {
      setProblem(words(error));
    }
  };
  useEffect(() => {
    load();
    return app.onChange((_, changed) => {
      if ("MailAction" in changed) load();
    });
  }, [app]);
  return { actions, problem, load };
}

function Entry({ action }: { action: Recorded }) {
  const app = useApp();
  const { mayUndo, done, total } = action;
  // The button goes, and the focus would go with it.
  const undo = (event: MouseEvent<HTMLElement>) => {
    event.currentTarget.closest("li")?.focus();
    app.actions.undo([action]);
  };
  const title = app.actions.log.summary(action.verb, [action]);
  return (
    <li tabIndex={-1}>
      <span className="change-text">
        {title}
        <small>{details(app, action)}</small>
        {action.state === "running" && <Progress label={title} done={done} total={total} />}
      </span>
      {mayUndo && <Button aria-label={`Undo: ${title}`} onClick={undo}>Undo</Button>}
    </li>
  );
}

/** When it was, in which account, and why it cannot be undone. */
function details(app: App, action: Recorded): string {
  const { accountId, createdAt, client, state, refused, refusal, kept, verb } = action;
  const account = app.accountSettings.get(accountId)?.displayName || app.account(accountId)?.name;
  const time = spokenTime(createdAt);
  return [
    time.charAt(0).toUpperCase() + time.slice(1),
    app.accounts.length > 1 ? account : "",
    isOfRule(action)
      ? client
      : isAutomatic(action)
      ? "automatic"
      : client.startsWith("page")
      ? ""
      : `via ${client}`,
    state === "undone" ? "undone" : isBusy(action) ? "in progress" : "",
    kept > 0 ? `${counted(kept, "message")} changed or deleted since, and left as is` : "",
    refused > 0 ? `${counted(refused, "message")} not changed: ${refusal}` : "",
    verb === "destroy" ? "cannot be undone" : "",
  ].filter(Boolean).join(" · ");
}
