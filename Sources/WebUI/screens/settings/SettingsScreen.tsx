import { useApp } from "../../store/app.ts";
import { EmptyState } from "../../ui/states.tsx";

export function SettingsScreen() {
  const { router } = useApp();
  const back = { label: "Go to your mail", run: () => router.go([]) };
  return (
    <main className="center">
      <EmptyState isScreen icon="settings" title="There are no settings here yet" action={back} />
    </main>
  );
}
