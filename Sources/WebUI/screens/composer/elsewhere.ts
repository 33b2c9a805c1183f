import type { Draft, DraftContent, DraftProblem } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";
import type { Id } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";
import { readDraft, settleConflict, type Version } from "./drafts.ts";

/** The message that is open here. */
interface Open {
  readonly app: App;
  readonly accountId: Id;
  readonly draftId: Id | null;
  readonly isSending: boolean;
  readonly status: "loading" | "ready" | "failed" | "closed";
  readonly isDirty: boolean;
  readonly files: { heard(attachments: Draft["attachments"]): void };
  emailId: Id | null;
  edited(isUrgent: boolean): void;
}

/** What only the message itself can do. */
interface Message {
  /** It is being saved. */
  isBusy: () => boolean;
  show: (draft: DraftContent & Partial<Version>) => Promise<void>;
  judge: (problems: DraftProblem[]) => void;
  changed: () => void;
}

/** What becomes of a draft elsewhere while it is open here: in another window, program or computer. */
export class Elsewhere {
  /** Both were changed: the user is asked which is kept. */
  hasConflict = false;
  /** When the version was saved that is open here. */
  #savedAt: string | null = null;
  /** Something became of it while it was being saved here. */
  #hasNews = false;

  constructor(private readonly composer: Open, private readonly message: Message) {}

  /** A version is open here now, or was saved from here. */
  has({ savedAt, conflict }: Partial<Version>): void {
    this.#savedAt = savedAt ?? this.#savedAt;
    this.hasConflict = Boolean(conflict);
  }

  /** Nothing is being saved any more. */
  caughtUp(): void {
    if (this.#hasNews) this.heard();
  }

  /** Looks at the version that the program has. */
  async heard(): Promise<void> {
    const { composer, message } = this;
    const { app, accountId, draftId } = composer;
    this.#hasNews = message.isBusy();
    if (!draftId || this.#hasNews || composer.isSending || composer.status !== "ready") return;
    try {
      const draft = await readDraft(app.client, accountId, { ids: [draftId] });
      // The received version is older than the one being saved.
      if (message.isBusy()) this.#hasNews = true;
      if (!draft || this.#hasNews || composer.draftId !== draftId) return;
      await this.#take(draft);
      message.changed();
    } catch {
      // The next change tells it again.
    }
  }

  async #take(draft: Draft): Promise<void> {
    const { composer, message } = this;
    const isOther = this.#savedAt !== null && draft.savedAt !== this.#savedAt;
    composer.emailId = draft.emailId;
    if (isOther && !composer.isDirty && draft.conflict === null) return await message.show(draft);
    this.hasConflict = isOther || draft.conflict !== null;
    composer.files.heard(draft.attachments);
    if (!composer.isDirty) message.judge(draft.problems);
  }

  /** Loads the version from elsewhere, or keeps the local one. */
  async settle(how: "reload" | "keep"): Promise<void> {
    const { composer, message } = this;
    const { app, accountId, draftId } = composer;
    this.hasConflict = false;
    message.changed();
    if (!draftId) return;
    try {
      const draft = await settleConflict(app.client, accountId, draftId, how);
      if (how === "keep") composer.edited(true);
      else if (draft) await message.show(draft);
    } catch (error) {
      app.toasts.problem(words(error));
    }
    message.changed();
  }
}
