import { useCallback, useEffect, useRef, useState } from "react";
import type { SignIn } from "../../jmap/accounts.ts";
import { words } from "../../jmap/errors.ts";
import { Id } from "../../jmap/types.ts";
import { type App, PROGRAM, useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import type { Records } from "../../store/records.ts";

/**
 * What a sign-in begins with: a way to add an account, a service that was found, or an account that signs in again, or
 * by another way.
 */
export type SignInStart =
  | { setupId: Id }
  | { discoveryId: Id; setupId: Id; isToBeChanged: boolean }
  | { accountId: Id; setupId?: Id };

/** A sign-in in progress, as reported by the program. It is canceled when the component is unmounted. */
export function useSignIn(start: SignInStart) {
  const app = useApp();
  const records = useObservable(app.records<SignIn>("SignIn"));
  const [problem, setProblem] = useState<string | null>(null);
  const [isGone, setGone] = useState(false);
  const { id, begin } = useBeginning(records, start, setProblem, setGone);
  const signIn = id ? records.get(id) ?? null : null;

  // Sign-ins are kept in memory: a restarted program does not have them.
  const isMissing = id !== null && signIn === null && records.status === "ready";
  useEffect(() => {
    if (!isMissing || isGone) return;
    // An answer that was made before this sign-in lacks it, too.
    app.client.call<{ notFound: Id[] }>("SignIn/get", { accountId: PROGRAM, ids: [id] }).then(
      ({ notFound }) => notFound.includes(id) ? setGone(true) : records.load(),
      (error) => setProblem(words(error)),
    );
  }, [app, records, id, isMissing, isGone]);

  async function update(patch: Record<string, unknown>): Promise<void> {
    if (!id) return begin();
    setProblem(null);
    try {
      const refused = await refusalOf(app, id, patch);
      if (refused?.type === "notFound") setGone(true);
      else if (refused) setProblem(refused.description ?? "The sign-in was refused.");
      await records.load();
    } catch (error) {
      setProblem(words(error));
    }
  }

  return {
    signIn,
    /** The program was unreachable, or refused the request. */
    problem,
    /** The program no longer has this sign-in: it can only be started again. */
    isGone,
    begin,
    answer: (form: Record<string, string>) => update({ form }),
    retry: () => update({ retry: true }),
  };
}

/** Begins a sign-in, once at a time, and cancels the one that is left. */
function useBeginning(
  records: Records<SignIn>,
  start: SignInStart,
  setProblem: (problem: string | null) => void,
  setGone: (isGone: boolean) => void,
) {
  const [id, setId] = useState<Id | null>(null);
  const isBeginning = useRef(false);
  const left = useLeft(records, id);
  const begin = useCallback(async () => {
    if (isBeginning.current) return;
    isBeginning.current = true;
    setId(null);
    setProblem(null);
    setGone(false);
    try {
      const made = await records.create({ ...start });
      // It was left while the program was asked.
      if (left.current) return cancel(records, made.id);
      setId(made.id);
      // From here on events tell what becomes of it.
      await records.load();
    } catch (error) {
      setProblem(words(error));
    }
    isBeginning.current = false;
  }, [records]);
  useEffect(() => {
    begin();
  }, [begin]);
  return { id, begin };
}

/** Whether the component is unmounted; its sign-in is then canceled. */
function useLeft(records: Records<SignIn>, id: Id | null): { readonly current: boolean } {
  const hasLeft = useRef(false);
  const newest = useRef(id);
  newest.current = id;
  useEffect(() => {
    hasLeft.current = false;
    return () => {
      hasLeft.current = true;
      // An abandoned sign-in is canceled; a finished one needs no cancellation.
      if (newest.current && records.get(newest.current)) cancel(records, newest.current);
    };
  }, [records]);
  return hasLeft;
}

/** Not `records.update`: answers are not properties, and typed values must not be stored. */
async function refusalOf(app: App, id: Id, patch: Record<string, unknown>) {
  const values = { accountId: PROGRAM, update: { [id]: patch } };
  const answer = await app.client.call<SetAnswer>("SignIn/set", values);
  return answer.notUpdated?.[id];
}

interface SetAnswer {
  notUpdated?: Record<Id, { type: string; description?: string }> | null;
}

function cancel(records: Records<SignIn>, id: Id): void {
  records.destroy(id).catch(() => {});
}
