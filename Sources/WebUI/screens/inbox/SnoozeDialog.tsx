import { type Choice, type Desk, goOn } from "../../actions/goOn.ts";
import { useApp } from "../../store/app.ts";
import { counted, utc } from "../../store/words.ts";
import { WhenDialog } from "../when/WhenDialog.tsx";

interface SnoozeDialogProps {
  choice: Choice;
  desk: Desk;
  onClose: () => void;
}

/** Until when conversations leave the inbox. */
export function SnoozeDialog({ choice, desk, onClose }: SnoozeDialogProps) {
  const app = useApp();
  const { targets, all = null } = choice;
  const snooze = (at: Date) => {
    onClose();
    const action = { verb: "snooze", until: utc(at) } as const;
    goOn(desk, targets, (targets) => app.actions.perform(action, targets, all), desk.isNarrow);
  };
  const many = all ? desk.state.list.total : targets.length;
  const what = many === 1 ? "conversation" : counted(many, "conversation");
  return (
    <WhenDialog
      title={`Snooze ${what} until`}
      note="It returns to the inbox then, or as soon as there is a new message in it. If this computer is off, it returns at the next start."
      onChoose={snooze}
      onClose={onClose}
    />
  );
}
