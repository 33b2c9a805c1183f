import type { Draft } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";

/** After an edit: so much writing is lost at most if the browser or the program ends. */
const SAVE = 1000;
/** After one that failed. */
const SAVE_AGAIN = 5000;

/** The message that is saved. */
interface Saved {
  hasDraft: () => boolean;
  isEmpty: () => boolean;
  isReady: () => boolean;
  keep: () => Promise<Partial<Draft>>;
  /** - Parameter isNewest: nothing was changed while it was being saved. */
  kept: (made: Partial<Draft>, isNewest: boolean) => void;
  changed: () => void;
  /** Nothing is being saved any more. */
  ended: () => void;
}

/** When a message is saved, and how that went. */
export class Saving {
  state: "none" | "saving" | "saved" | "failed" = "none";
  problem: string | null = null;
  #edits = 0;
  #savedEdits = 0;
  #timer: number | undefined;
  #work: Promise<boolean> | null = null;

  constructor(private readonly message: Saved) {}

  /** The content differs from the saved version. */
  get isDirty(): boolean {
    return this.#edits !== this.#savedEdits;
  }

  get isBusy(): boolean {
    return this.#work !== null;
  }

  /** What is shown is what the program has. */
  settle(): void {
    this.#savedEdits = this.#edits;
  }

  /** There is more to save, at the time that is planned for it. */
  note(): void {
    this.#edits += 1;
  }

  get isPlanned(): boolean {
    return this.#timer !== undefined;
  }

  plan(isUrgent: boolean): void {
    if (!isUrgent && this.isPlanned) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), isUrgent ? 0 : SAVE);
  }

  /** True if all that was written is on disk. */
  async save(): Promise<boolean> {
    while (this.#work) await this.#work;
    this.stop();
    if (!this.isDirty || !this.message.isReady()) return true;
    // Nothing was written yet: there is nothing to keep.
    if (this.message.isEmpty() && !this.message.hasDraft()) {
      this.settle();
      return true;
    }
    this.#work = this.#save();
    const isKept = await this.#work;
    this.#work = null;
    this.message.ended();
    return isKept;
  }

  async #save(): Promise<boolean> {
    const edits = this.#edits;
    this.state = "saving";
    this.message.changed();
    try {
      const made = await this.message.keep();
      this.#savedEdits = edits;
      this.message.kept(made, this.#edits === edits);
      this.state = "saved";
      this.problem = null;
    } catch (error) {
      this.state = "failed";
      this.problem = words(error);
    }
    const pause = this.state === "failed" ? SAVE_AGAIN : SAVE;
    if (this.isDirty) this.#timer ??= setTimeout(() => this.save(), pause);
    this.message.changed();
    return this.state === "saved";
  }

  /** Until what is being saved is on disk. */
  async rest(): Promise<void> {
    await this.#work;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
