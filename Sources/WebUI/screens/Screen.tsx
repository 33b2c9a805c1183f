import { useEffect } from "react";
import { useApp } from "../store/app.ts";
import { useObservable } from "../base/observable.ts";
import { Later } from "../ui/later.tsx";
import { ComposerScreen } from "./composer/ComposerScreen.tsx";
import { MailScreen } from "./inbox/MailScreen.tsx";
import { LaterScreen } from "./LaterScreen.tsx";

const screens = () => import("./otherScreens.ts");
const onboarding = new Later<object>(() => screens().then(({ OnboardingScreen }) => OnboardingScreen));
const settings = new Later<object>(() => screens().then(({ SettingsScreen }) => SettingsScreen));
const senders = new Later<object>(() => screens().then(({ SendersScreen }) => SendersScreen));
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
    const timer = setTimeout(() => settings.prepare(), PREPARE_AFTER);
    return () => clearTimeout(timer);
  }, []);
  if (beginsHere) return <LaterScreen screen={onboarding} />;
  if (first === "compose") return <ComposerScreen />;
  if (first === "senders") return <LaterScreen screen={senders} />;
  if (first === "settings") return <LaterScreen screen={settings} />;
  return <MailScreen />;
}
