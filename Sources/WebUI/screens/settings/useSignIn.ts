import { useCallback, useEffect, useRef, useState } from "react";
import type { SignIn } from "../../jmap/accounts.ts";
import { words } from "../../jmap/errors.ts";
import { Id } from "../../jmap/types.ts";
import { PROGRAM, useApp } from "../../store/app.ts";
import { useObservable } from "../../store/observable.ts";

/** What a sign-in begins with: a way to add an account, or an account that signs in again. */
export type SignInStart = { setupId: Id } | { accountId: Id };

/** A sign-in under way, as the program tells of it. It is cancelled when the component goes away. */
export function useSignIn(start: SignInStart) {
  const app = useApp();
  const records = useObservable(app.records<SignIn>("SignIn"));
  const [id, setId] = useState<Id | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const isBeginning = useRef(false);
  const signIn = id ? records.get(id) ?? null : null;

  const begin = useCallback(async () => {
    if (isBeginning.current) return;
    isBeginning.current = true;
    setProblem(null);
    try {
      const made = await records.create({ ...start });
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

  const newest = useRef(signIn);
  newest.current = signIn;
  useEffect(() => () => {
    // What nobody looks at any more is nobody's to finish; what is done has nothing left to cancel.
    if (newest.current) records.destroy(newest.current.id).catch(() => {});
  }, [records]);

  const update = useCallback(async (patch: Record<string, unknown>) => {
    if (!id) return begin();
    setProblem(null);
    try {
      // Not `records.update`: an answer is not a property, and what was typed is kept nowhere.
      const answer = await app.client.call<{ notUpdated?: Record<Id, { description?: string }> | null }>(
        "SignIn/set",
        { accountId: PROGRAM, update: { [id]: patch } },
      );
      const refused = answer.notUpdated?.[id];
      if (refused) setProblem(refused.description ?? "That was refused.");
      await records.load();
    } catch (error) {
      setProblem(words(error));
    }
  }, [app, records, id, begin]);

  return {
    signIn,
    /** The program could not be asked, or did not take what it was asked. */
    problem,
    answer: (form: Record<string, string>) => update({ form }),
    retry: () => update({ retry: true }),
  };
}
