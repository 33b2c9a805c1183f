import { useObservable } from "../base/observable.ts";
import type { Preferences } from "../jmap/vendor.ts";
import type { Records } from "./records.ts";

/** The colors that the user chose. */
export function useThemeChoice({ preferences }: { preferences: Records<Preferences> }) {
  useObservable(preferences);
  return preferences.get("singleton")?.appTheme ?? "system";
}
