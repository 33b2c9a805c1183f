import { useState } from "react";
import { words } from "../jmap/errors.ts";
import { useApp } from "./app.ts";

type Work = () => Promise<unknown>;

/** What a form does when it is sent: whether that is under way, and why it failed, to be shown beside it. */
export function useTask() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  /** True if it succeeded. */
  async function run(work: Work): Promise<boolean> {
    setBusy(true);
    setProblem(null);
    try {
      await work();
      return true;
    } catch (error) {
      setProblem(words(error));
      return false;
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, problem, setProblem, run };
}

/** What a button does where it is pressed: a failure is shown in a toast. */
export function useSave(): { isSaving: boolean; save: (work: Work) => Promise<boolean> } {
  const { toasts } = useApp();
  const [isSaving, setSaving] = useState(false);
  async function save(work: Work): Promise<boolean> {
    setSaving(true);
    try {
      await work();
      return true;
    } catch (error) {
      toasts.problem(words(error));
      return false;
    } finally {
      setSaving(false);
    }
  }
  return { isSaving, save };
}
