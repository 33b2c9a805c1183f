import { useEffect } from "react";
import { useApp } from "../store/app.ts";
import { useObservable } from "../base/observable.ts";
import { ComposerScreen } from "./composer/ComposerScreen.tsx";
import { MailScreen } from "./inbox/MailScreen.tsx";
import { LaterScreen, ScreenLoader } from "./LaterScreen.tsx";

const onboarding = new ScreenLoader(() =>
  import("./onboarding/OnboardingScreen.tsx").then((module) => module.OnboardingScreen)
);
const settings = new ScreenLoader(() =>
  import("./settings/SettingsScreen.tsx").then((module) => module.SettingsScreen)
);
const senders = new ScreenLoader(() =>
  import("./senders/SendersScreen.tsx").then((module) => module.SendersScreen)
);
/** Long after the mail is shown, and before most people open the settings. */
const PREPARE_AFTER = 2_000;

/** The screen for the current address. A new screen is a line here. */
export function Screen() {
  const app = useApp();
  const { place } = useObservable(app.router);
  const [first] = place.path;
  const isSetUp = useObservable(app.preferences).get("singleton")?.isOnboardingComplete;
  const beginsHere = app.accounts.length === 0 || isSetUp === false;
  useEffect(() => {
    // Also for the time when the program is gone: the settings still open then.
    const timer = setTimeout(() => settings.load().catch(() => {}), PREPARE_AFTER);
    return () => clearTimeout(timer);
  }, []);
  if (beginsHere) return <LaterScreen loader={onboarding} />;
  if (first === "compose") return <ComposerScreen />;
  if (first === "senders") return <LaterScreen loader={senders} />;
  if (first === "settings") return <LaterScreen loader={settings} />;
  return <MailScreen />;
}
