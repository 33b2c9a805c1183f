import { Observable } from "../../base/observable.ts";
import type { Box } from "./boxes.ts";

/** Where a message that is being written is on the screen. */
export class Standing extends Observable {
  /** It is saved for the last time before it goes; nothing more is written into it. */
  isLeaving = false;
  isMinimized = false;
  /** Below the message that it answers, or above the mail. */
  place: "below" | "floating" = "floating";
  /** Where it floats; null for beside the others at the edge of the window. */
  box: Box | null = null;
  /** Grows when it is to have the focus. */
  calls = 0;

  stand(patch: Partial<Pick<Standing, "place" | "box" | "isMinimized">>, hasFocus = false): void {
    Object.assign(this, patch);
    if (hasFocus) this.calls += 1;
    this.changed();
  }
}
