import { type AppLock } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { SelectField } from "../../ui/fields.tsx";
import { Row } from "./Row.tsx";
import { usePreference, usePreferences } from "./usePreference.ts";

const DELAYS = [
  { value: 1, label: "After 1 minute" },
  { value: 5, label: "After 5 minutes" },
  { value: 15, label: "After 15 minutes" },
  { value: 60, label: "After 1 hour" },
  { value: 0, label: "Only when closed" },
] as const;

/** A window may stay open behind others for days. Absent while the lock is off. */
export function LockDelay() {
  const app = useApp();
  const lock = useObservable(app.records<AppLock>("AppLock"));
  const preferences = usePreferences();
  const { set } = usePreference();
  if (!preferences || !lock.get("singleton")?.isEnabled) return null;
  return (
    <Row about="Lock when not visible minutes app lock">
      <SelectField
        label="Lock when not visible"
        hint="mailkernel always locks with your screen, when the computer sleeps, and when its last window is closed."
        value={preferences.appLockDelayMinutes}
        options={[...DELAYS]}
        onChange={(appLockDelayMinutes) => set({ appLockDelayMinutes })}
      />
    </Row>
  );
}
