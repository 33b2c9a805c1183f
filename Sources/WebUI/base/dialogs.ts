import { Observable } from "./observable.ts";

export interface Question {
  title: string;
  text?: string;
  confirm: string;
  cancel?: string;
  isDestructive?: boolean;
}

/** Questions that have to be answered before anything else. */
export class Dialogs extends Observable {
  current: (Question & { answer: (isYes: boolean) => void }) | null = null;

  /** Asks, one question after the other; true if it was confirmed. */
  async confirm(question: Question): Promise<boolean> {
    while (this.current) await new Promise<void>((resolve) => setTimeout(resolve, 50));
    return await new Promise((resolve) => {
      this.current = {
        ...question,
        answer: (isYes) => {
          this.current = null;
          this.changed();
          resolve(isYes);
        },
      };
      this.changed();
    });
  }
}
