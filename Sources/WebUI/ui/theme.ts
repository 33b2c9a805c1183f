import { useEffect } from "react";
import type { Preferences } from "../jmap/vendor.ts";
import { useObservable } from "../store/observable.ts";
import type { Records } from "../store/records.ts";

/** Sets the colours that the person chose; the style sheet does the rest. */
export function useTheme(preferences: Records<Preferences>): void {
  useObservable(preferences);
  const theme = preferences.get("singleton")?.appTheme ?? "system";
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);
}
