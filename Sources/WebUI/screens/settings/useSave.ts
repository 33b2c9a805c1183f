import { useState } from "react";
import { words } from "../../jmap/errors.ts";
import type { Preferences } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";

/** Runs what changes a setting; what is refused is said, and the control shows what holds. */
export function useSave(): { isSaving: boolean; save: (work: () => Promise<unknown>) => Promise<boolean> } {
  const app = useApp();
  const [isSaving, setSaving] = useState(false);
  async function save(work: () => Promise<unknown>): Promise<boolean> {
    setSaving(true);
    try {
      await work();
      return true;
    } catch (error) {
      app.toasts.problem(words(error));
      return false;
    } finally {
      setSaving(false);
    }
  }
  return { isSaving, save };
}

/** Changes preferences; they show once they are on disk. */
export function usePreference() {
  const app = useApp();
  const { save, isSaving } = useSave();
  return {
    isSaving,
    set: (patch: Partial<Preferences>) => save(() => app.preferences.save("singleton", patch)),
  };
}

export function usePreferences(): Preferences | undefined {
  return useObservable(useApp().preferences).get("singleton");
}
