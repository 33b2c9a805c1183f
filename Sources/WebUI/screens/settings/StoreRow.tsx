import { useEffect, useRef, useState } from "react";
import { words } from "../../jmap/errors.ts";
import type { MailStore } from "../../jmap/program.ts";
import { PROGRAM, useApp } from "../../store/app.ts";
import { useMailStore } from "../../store/useMailStore.ts";
import { inOrder } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Banner, Progress } from "../../ui/states.tsx";
import { Row } from "./Row.tsx";

/** Which store keeps the mail, where, and whether it is sound. */
export function StoreRow() {
  const store = useMailStore();
  if (!store) return null;
  const place = store.server ? `On ${store.server}` : "On this computer";
  return (
    <Row about={`Where your mail is kept Check the Store server health ${place} ${store.name ?? ""}`}>
      <div className="storage">
        <div className="account-head">
          <h3>Where your mail is kept</h3>
          {store.server && <Health isGood={store.isResponding && !store.isOffline} />}
        </div>
        <p className="field-hint">{[place, store.name].filter(Boolean).join(" · ")}</p>
        {store.hasCopy && (
          <p className="field-hint">
            {store.isOffline
              ? `You see the copy on this computer until ${store.server} responds again.`
              : "A copy on this computer lets you work offline."}
          </p>
        )}
        {store.reason && (
          <Banner icon="warning" kind="problem">
            {store.server} is not responding: {inOrder(store.reason)}
          </Banner>
        )}
        <StoreCheck store={store} />
      </div>
    </Row>
  );
}

function Health({ isGood }: { isGood: boolean }) {
  return (
    <p className={`badge ${isGood ? "badge-good" : "badge-warning"}`}>
      <Icon name={isGood ? "check" : "warning"} /> {isGood ? "Responding" : "Not responding"}
    </p>
  );
}

function StoreCheck({ store }: { store: MailStore }) {
  const { isRunning, result, begin, cancel } = useCheck();
  if (!store.canCheck) return <p className="field-hint">This store cannot be checked for damage.</p>;
  return (
    <>
      <div role="status">
        {isRunning && <p className="field-hint">Checking the store. This can take minutes.</p>}
        {result && <Result findings={result} />}
      </div>
      {isRunning && <Progress label="Checking the store" done={0} total={null} />}
      <div>
        <Button disabled={!store.isResponding && !isRunning} onClick={isRunning ? cancel : begin}>
          {isRunning ? "Cancel" : "Check the Store"}
        </Button>
      </div>
    </>
  );
}

function Result({ findings }: { findings: string[] | string }) {
  if (typeof findings === "string") {
    return <Banner icon="warning" kind="problem">The store could not be checked. {findings}</Banner>;
  }
  if (findings.length === 0) return <Banner icon="check">No damage was found.</Banner>;
  return (
    <>
      <Banner icon="warning" kind="problem">
        <ul>{findings.map((finding) => <li key={finding}>{finding}</li>)}</ul>
      </Banner>
      <p className="field-hint">
        “mailkernel storage rebuild-search” rebuilds the search index. A store on this computer is checked
        again when mailkernel starts, and repaired or replaced.
      </p>
    </>
  );
}

/** A check, which ends when the settings are left. Its result: sentences, or why there is none. */
function useCheck() {
  const { client } = useApp();
  const [result, setResult] = useState<string[] | string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const begin = async () => {
    const mine = current.current = new AbortController();
    setResult(null);
    setRunning(true);
    const batch = client.batch();
    const check = batch.add<{ findings: string[] }>("Program/checkStore", { accountId: PROGRAM });
    batch.send(mine.signal);
    const found = await check.answer.then(({ findings }) => findings, words);
    if (mine.signal.aborted) return;
    setResult(found);
    setRunning(false);
  };
  const cancel = () => {
    current.current?.abort();
    setRunning(false);
  };
  return { isRunning, result, begin, cancel };
}
