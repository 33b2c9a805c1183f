import { MOST_DAYS } from "./sendLater.ts";
import { WhenDialog } from "./WhenDialog.tsx";

interface RemindDialogProps {
  onChoose: (at: Date) => void;
  onClose: () => void;
}

/** By when there has to be a reply. */
export function RemindDialog({ onChoose, onClose }: RemindDialogProps) {
  return (
    <WhenDialog
      title="Remind me if there is no reply by"
      note="The conversation returns to the inbox then, unless another person has replied. Automatic replies do not count. If this computer is off, it returns at the next start."
      mostDays={MOST_DAYS}
      onChoose={(at) => {
        onClose();
        onChoose(at);
      }}
      onClose={onClose}
    />
  );
}
