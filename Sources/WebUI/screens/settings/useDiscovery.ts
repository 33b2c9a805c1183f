import { useState } from "react";
import type { AccountDiscovery } from "../../jmap/accounts.ts";
import { SetError, words } from "../../jmap/errors.ts";
import type { Id } from "../../jmap/types.ts";
import { PROGRAM, useApp } from "../../store/app.ts";
import { refuse, type SetAnswer } from "../../store/records.ts";
import { useObservable } from "../../base/observable.ts";

/** The search for the service of an address, as reported by the program. */
export function useDiscovery() {
  const app = useApp();
  const records = useObservable(app.records<AccountDiscovery>("AccountDiscovery"));
  const [id, setId] = useState<Id | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function run(task: () => Promise<void>): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await task();
      // From here on events tell what becomes of it.
      await records.load();
    } catch (error) {
      setProblem(isAboutAddress(error) ? BAD_ADDRESS : words(error));
    }
    setBusy(false);
  }

  return {
    discovery: id ? records.get(id) ?? null : null,
    problem,
    isBusy,
    begin: (address: string) =>
      run(async () => {
        const made = await records.create({ address });
        setId(made.id);
      }),
    /** Not `records.update`: the answer is not a property. */
    allow: (isAllowed: boolean) =>
      run(async () => {
        if (!id) return;
        const values = { accountId: PROGRAM, update: { [id]: { isAllowed } } };
        refuse(await app.client.call<SetAnswer>("AccountDiscovery/set", values));
      }),
    cancel: () => {
      if (id) records.destroy(id).catch(() => {});
      setId(null);
      setProblem(null);
    },
  };
}

const BAD_ADDRESS = "Please enter your full address, such as ada@example.org.";

function isAboutAddress(error: unknown): boolean {
  return error instanceof SetError && error.type === "invalidProperties";
}
