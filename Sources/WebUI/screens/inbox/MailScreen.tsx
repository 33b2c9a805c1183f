import { EmptyState } from "../../ui/states.tsx";

export function MailScreen() {
  return (
    <main className="center">
      <EmptyState isScreen icon="inbox" title="Your mail comes here" />
    </main>
  );
}
