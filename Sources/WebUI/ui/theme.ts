import { useEffect, useState } from "react";
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

/** Whether dark colours are shown: what the person chose, else what the desktop says. */
export function useIsDark(preferences: Records<Preferences>): boolean {
  useObservable(preferences);
  const theme = preferences.get("singleton")?.appTheme ?? "system";
  const [isDesktopDark, setDesktopDark] = useState(() => dark().matches);
  useEffect(() => {
    const query = dark();
    const heard = () => setDesktopDark(query.matches);
    query.addEventListener("change", heard);
    return () => query.removeEventListener("change", heard);
  }, []);
  return theme === "system" ? isDesktopDark : theme === "dark";
}

function dark(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}
