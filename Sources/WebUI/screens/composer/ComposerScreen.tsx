import { useApp } from "../../store/app.ts";
import { EmptyState } from "../../ui/states.tsx";

export function ComposerScreen() {
  const { router } = useApp();
  const back = { label: "Go to your mail", run: () => router.go([]) };
  return (
    <main className="center">
      <EmptyState isScreen icon="compose" title="Mail cannot be written here yet" action={back} />
    </main>
  );
}
