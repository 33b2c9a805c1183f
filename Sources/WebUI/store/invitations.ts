import { Observable } from "../base/observable.ts";
import type { Sent } from "../jmap/compose.ts";
import { words } from "../jmap/errors.ts";
import type { Answer, Invitation } from "../jmap/invitation.ts";
import type { BodyPart, Id } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { typeOf } from "./attachments.ts";

/** Whether a part may be an invitation. */
export function isCalendar(part: Pick<BodyPart, "type" | "name">): boolean {
  const type = typeOf(part);
  return type === "text/calendar" || type === "application/ics" ||
    type === "application/octet-stream" && /\.ics$/i.test(part.name ?? "");
}

/** The parts of a message besides the calendar that is shown already. What was sent as a file stays. */
export function besideCalendar(parts: BodyPart[], shown: Id | null): BodyPart[] {
  if (shown === null) return parts;
  return parts.filter((part) =>
    !isCalendar(part) || part.disposition === "attachment" || part.name !== null && part.blobId !== shown
  );
}

/** The invitation in a message. */
export class MessageInvitation extends Observable {
  /** Null if there is none, or none that can be read. */
  invitation: Invitation | null = null;
  isBusy = false;

  constructor(private readonly app: App, readonly accountId: Id, readonly emailId: Id) {
    super();
  }

  /** Follows what becomes of the answer. Returns what ends that. */
  follow(): () => void {
    this.load();
    return this.app.onChange((accountId, types) => {
      if (accountId !== this.accountId) return;
      if ("Email" in types || "EmailSubmission" in types || "Draft" in types) this.load();
    });
  }

  async load(): Promise<void> {
    const { accountId, emailId } = this;
    try {
      const { list } = await this.app.client.call<{ list: Invitation[] }>("Invitation/get", {
        accountId,
        ids: [emailId],
      });
      this.invitation = list[0] ?? null;
    } catch {
      // The message is shown as it is; its calendar can still be saved as a file.
    }
    this.changed();
  }

  /** Null if it could not be sent; why is said. */
  async answer(answer: Answer, note: string): Promise<Sent | null> {
    const { accountId, emailId } = this;
    return await this.#busy(async () => {
      const sent = await this.app.client.call<Omit<Sent, "emailId">>("Invitation/answer", {
        accountId,
        id: emailId,
        answer,
        note,
      });
      return { ...sent, accountId, emailId };
    });
  }

  /** Takes the answer back, or removes what is left of one that was taken back. */
  async takeBack(): Promise<void> {
    const { accountId, emailId: id } = this;
    await this.#busy(() => this.app.client.call("Invitation/takeBack", { accountId, id }));
  }

  async #busy<Value>(work: () => Promise<Value>): Promise<Value | null> {
    this.isBusy = true;
    this.changed();
    try {
      return await work();
    } catch (error) {
      this.app.toasts.problem(words(error));
      return null;
    } finally {
      this.isBusy = false;
      await this.load();
    }
  }
}
