import { useEffect, useMemo, useState } from "react";
import { ActionButtons } from "../../actions/ActionButtons.tsx";
import { commands, shortcuts } from "../../actions/offers.ts";
import { SENDERS } from "../../actions/senders.ts";
import { useObservable } from "../../base/observable.ts";
import { useShortcuts } from "../../base/shortcuts.ts";
import type { SenderSort } from "../../jmap/senders.ts";
import type { Id } from "../../jmap/types.ts";
import { useApp, useKeysOnce } from "../../store/app.ts";
import { SenderList, type SenderOrder } from "../../store/senderList.ts";
import { count, counted } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { SelectField, TextField } from "../../ui/fields.tsx";
import { EmptyState, FailedState, Spinner } from "../../ui/states.tsx";
import { NoProgram, SilentStore } from "../banners/Banners.tsx";
import { PaletteHost } from "../palette/PaletteHost.tsx";
import { SenderRow } from "./SenderRow.tsx";
import "./senders.css";

const ORDERS: { value: string; label: string; sort: SenderSort; isAscending: boolean }[] = [
  { value: "recent", label: "Most messages in 90 days", sort: "recent", isAscending: false },
  { value: "total", label: "Most messages", sort: "total", isAscending: false },
  { value: "leastRead", label: "Least read", sort: "readShare", isAscending: true },
  { value: "mostRead", label: "Most read", sort: "readShare", isAscending: false },
  { value: "newest", label: "Newest message", sort: "lastAt", isAscending: false },
  { value: "oldest", label: "Oldest message", sort: "lastAt", isAscending: true },
  { value: "name", label: "Name", sort: "name", isAscending: true },
];

/** Typing pauses for so many milliseconds before the list is searched. */
const PAUSE = 150;

/** Everyone who has sent mail: how much, how much of it was read, and what can be done about it. */
export function SendersScreen() {
  const app = useObservable(useApp());
  const [accountId, setAccount] = useState<Id>(app.accounts[0]?.id ?? "");
  const list = useMemo(() => new SenderList(app, accountId), [app, accountId]);
  const subject = useSubject();
  useKeysOnce(app, true);
  return (
    <div className="settings senders">
      <header className="settings-header">
        <ActionButtons actions={SENDERS} subject={subject} place="back" />
        <h1>Senders</h1>
      </header>
      <div className="settings-banners" role="status">
        <NoProgram />
        <SilentStore />
      </div>
      <main className="settings-list">
        <Senders key={accountId} list={list} onAccount={setAccount} />
      </main>
      <PaletteHost app={app} offered={() => commands(SENDERS, subject)} />
    </div>
  );
}

function useSubject() {
  const app = useApp();
  const subject = {
    app,
    targets: [],
    leave: () => app.router.backOr([]),
    search: () => document.querySelector<HTMLInputElement>(".senders-tools [type=search]")?.focus(),
  };
  useShortcuts(app.shortcuts, "Senders", shortcuts(SENDERS, () => subject));
  useEffect(() => {
    document.title = "Senders – mailkernel";
  }, []);
  return subject;
}

function Senders({ list, onAccount }: { list: SenderList; onAccount: (id: Id) => void }) {
  useObservable(list);
  const app = useApp();
  const [text, setText] = useState("");
  const [order, setOrder] = useState("recent");
  useEffect(() => list.follow(), [list]);
  useEffect(() => {
    const chosen: SenderOrder = ORDERS.find(({ value }) => value === order) ?? list.order;
    const { sort, isAscending } = chosen;
    if (text === list.text && sort === list.order.sort && isAscending === list.order.isAscending) return;
    const timer = setTimeout(() => list.show(text, { sort, isAscending }), PAUSE);
    return () => clearTimeout(timer);
  }, [list, text, order]);
  return (
    <section className="settings-section" aria-label="Senders">
      <div className="senders-tools">
        {app.accounts.length > 1 && (
          <SelectField
            label="Account"
            value={list.accountId}
            options={app.accounts.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={onAccount}
          />
        )}
        <TextField label="Search senders" type="search" value={text} onChange={setText} />
        <SelectField label="Sort by" value={order} options={ORDERS} onChange={setOrder} />
      </div>
      <Found list={list} />
    </section>
  );
}

function Found({ list }: { list: SenderList }) {
  const { status, problem, senders, total } = list;
  if (status === "failed") {
    return (
      <FailedState
        title="Senders could not be loaded"
        reason={problem ?? ""}
        retry={() => list.load()}
      />
    );
  }
  if (status === "loading" && senders.length === 0) {
    return (
      <div className="center">
        <Spinner label="Loading senders" />
      </div>
    );
  }
  const left = total - senders.length;
  return (
    <>
      <p className="senders-count" role="status">{counted(total, "sender")}</p>
      {total === 0
        ? <EmptyState icon="people" title="No senders found" />
        : (
          <ul className="settings-card senders-list" aria-label="Senders found">
            {senders.map((sender) => <SenderRow key={sender.email} list={list} sender={sender} />)}
          </ul>
        )}
      {left > 0 && <Button onClick={() => list.more()}>{`Show more (${count(left)} left)`}</Button>}
    </>
  );
}
