/** Screens besides the mail. They are one part for the same reason as parts.ts. */
export { OnboardingScreen } from "./onboarding/OnboardingScreen.tsx";
export { SettingsScreen } from "./settings/SettingsScreen.tsx";
export { SendersScreen } from "./senders/SendersScreen.tsx";
