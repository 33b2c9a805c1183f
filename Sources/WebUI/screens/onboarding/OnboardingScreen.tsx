import { EmptyState } from "../../ui/states.tsx";

export function OnboardingScreen() {
  return (
    <main className="center">
      <EmptyState
        isScreen
        icon="mail"
        title="There is no mail account yet"
        text="Bring in mail that you have: run “mailkernel import FILE” in a terminal."
      />
    </main>
  );
}
