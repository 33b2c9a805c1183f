import { useApp } from "../store/app.ts";
import { useObservable } from "../base/observable.ts";
import { ComposerScreen } from "./composer/ComposerScreen.tsx";
import { MailScreen } from "./inbox/MailScreen.tsx";
import { OnboardingScreen } from "./onboarding/OnboardingScreen.tsx";
import { SettingsScreen } from "./settings/SettingsScreen.tsx";

/** The screen for the current address. A new screen is a line here. */
export function Screen() {
  const app = useApp();
  const { place } = useObservable(app.router);
  const [first] = place.path;
  const isSetUp = useObservable(app.preferences).get("singleton")?.isOnboardingComplete;
  if (app.accounts.length === 0 || isSetUp === false) return <OnboardingScreen />;
  if (first === "compose") return <ComposerScreen />;
  if (first === "settings") return <SettingsScreen />;
  return <MailScreen />;
}
