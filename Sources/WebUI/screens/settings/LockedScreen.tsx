import { EmptyState } from "../../ui/states.tsx";

/** Shown instead of everything while the program is locked. */
export function LockedScreen({ onUnlock }: { onUnlock: () => void }) {
  return (
    <main className="center">
      <EmptyState
        isScreen
        icon="lock"
        title="mailkernel is locked"
        action={{ label: "Try again", run: onUnlock }}
      />
    </main>
  );
}
