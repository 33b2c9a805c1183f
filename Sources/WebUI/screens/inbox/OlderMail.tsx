import "./olderMail.css";
import { useEffect, useId, useMemo, useState } from "react";
import type { Desk } from "../../actions/goOn.ts";
import { useObservable } from "../../base/observable.ts";
import { words } from "../../jmap/errors.ts";
import type { FoundMail } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { hasOlderMail, OlderMail } from "../../store/olderMail.ts";
import type { Source } from "../../store/rows.ts";
import {
  counted,
  displayName,
  inOrder,
  serviceOf,
  shortTime,
  spokenTime,
  subjectOf,
} from "../../store/words.ts";
import { Breakable } from "../../ui/Breakable.tsx";
import { Button } from "../../ui/Button.tsx";
import { Progress } from "../../ui/states.tsx";

/** Below the results of a search: mail that is not on this device, for each account that has some. */
export function OlderMailSections({ desk }: { desk: Desk }) {
  const app = useApp();
  const sources = desk.state.scope.sources.filter(({ accountId }) => hasOlderMail(app.client, accountId));
  if (sources.length === 0) return null;
  return (
    <div className="older">
      {sources.map((source) => <Section key={JSON.stringify(source)} source={source} desk={desk} />)}
    </div>
  );
}

/** The service's name; the address where several accounts are there. */
function useService({ accountId }: Source): string {
  const app = useApp();
  const name = app.account(accountId)?.name ?? "";
  const all = app.accounts.map(({ name }) => serviceOf({ name: null, email: name }));
  const service = serviceOf({ name: null, email: name });
  return all.filter((other) => other === service).length > 1 ? name : service;
}

function Section({ source, desk }: { source: Source; desk: Desk }) {
  const app = useApp();
  const older = useObservable(useMemo(() => new OlderMail(app.client, source), [app]));
  useEffect(() => () => older.cancel(), [older]);
  const service = useService(source);
  const title = useId();
  const { status, list, problem, hasMore, isCut } = older;
  const isSearching = status === "searching";
  if (status === "empty") {
    return (
      <div className="older-start">
        <Button kind="quiet" icon="search" onClick={() => older.search()}>
          {`Search older mail at ${service}`}
        </Button>
      </div>
    );
  }
  return (
    <section className="older-section" aria-labelledby={title} aria-busy={isSearching}>
      <h2 id={title}>
        Older mail at <Breakable address={service} />
      </h2>
      <p className="hidden" role="status">
        {status === "ready" ? `${counted(list.length, "older message")} found` : ""}
      </p>
      {list.length > 0 && (
        <ul>
          {list.map((mail) => (
            <Found key={`${mail.feedId} ${mail.remoteId}`} mail={mail} older={older} desk={desk} />
          ))}
        </ul>
      )}
      {status === "ready" && list.length === 0 && !hasMore && <p>No older mail matches.</p>}
      {problem && <p className="older-problem" role="alert">{problem}</p>}
      {!hasMore && isCut && (
        <p>The service found more. Add words or a date to the search to see older mail.</p>
      )}
      <div className="older-tools">
        {isSearching
          ? (
            <>
              <Progress label={`Searching ${service}`} done={0} total={null} />
              <Button kind="quiet" onClick={() => older.cancel()}>Cancel</Button>
            </>
          )
          : hasMore && (
            <Button kind="quiet" onClick={() => older.search()}>
              {status === "failed" ? "Try again" : "Show more"}
            </Button>
          )}
      </div>
    </section>
  );
}

/** A message at the service. Opening it brings it to this device for a day. */
function Found({ mail, older, desk }: { mail: FoundMail; older: OlderMail; desk: Desk }) {
  const app = useApp();
  const [isOpening, setOpening] = useState(false);
  const open = async () => {
    if (isOpening) return;
    setOpening(true);
    try {
      desk.open(await older.keep(mail));
    } catch (error) {
      app.toasts.problem(words(error));
    } finally {
      setOpening(false);
    }
  };
  const [sender] = mail.from ?? [];
  const who = sender ? displayName(sender) : "Unknown sender";
  const subject = subjectOf(mail);
  const isUnread = !mail.keywords["$seen"];
  return (
    <li>
      <button
        type="button"
        className={`older-row ${isUnread ? "older-unread" : ""}`}
        aria-busy={isOpening}
        aria-label={`${isUnread ? "Unread, " : ""}${who}, ${subject}, ${spokenTime(mail.receivedAt)}`}
        onClick={open}
      >
        <span className="older-who">{who}</span>
        <time dateTime={mail.receivedAt}>{shortTime(mail.receivedAt)}</time>
        <span className="older-subject">
          {subject}
          <span className="older-preview">{` ${inOrder(mail.preview)}`}</span>
        </span>
      </button>
    </li>
  );
}
