import { useObservable } from "../../base/observable.ts";
import type { Preferences } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { useSave } from "../../store/useTask.ts";

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
