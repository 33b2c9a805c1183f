import { words } from "../../jmap/errors.ts";
import type { Id } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";

/** Drafts of a message in the accounts that it was to be sent from before. They go once nothing is missing here. */
export class FormerDrafts {
  #drafts: { accountId: Id; draftId: Id }[] = [];

  /** `areNeeded`: files of the message are still there alone. */
  constructor(
    private readonly app: Pick<App, "client" | "toasts">,
    private readonly areNeeded: () => boolean,
  ) {}

  add(accountId: Id, draftId: Id | null): void {
    if (draftId) this.#drafts.push({ accountId, draftId });
  }

  /** Removes those that are no longer needed. */
  async clear(): Promise<void> {
    if (!this.areNeeded()) await this.remove();
  }

  async remove(): Promise<void> {
    for (const { accountId, draftId } of this.#drafts.splice(0)) {
      await this.app.client.call("Draft/set", { accountId, destroy: [draftId] })
        .catch((error) => this.app.toasts.problem(words(error)));
    }
  }
}
