import type { Choice } from "../../actions/goOn.ts";
import { useApp } from "../../store/app.ts";
import { utc } from "../../store/words.ts";
import { RemindDialog } from "../when/RemindDialog.tsx";

/** By when there has to be a reply in conversations. */
export function RemindChoice({ choice, onClose }: { choice: Choice; onClose: () => void }) {
  const app = useApp();
  const { targets, all = null } = choice;
  return (
    <RemindDialog
      onChoose={(at) => app.actions.perform({ verb: "remind", until: utc(at) }, targets, all)}
      onClose={onClose}
    />
  );
}
