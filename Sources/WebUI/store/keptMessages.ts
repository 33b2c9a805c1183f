import type { Email, Id } from "../jmap/types.ts";
import type { EmailView } from "../jmap/vendor.ts";

/** A message that is open: all of it, as it may be shown. */
export interface OpenMessage {
  email: Email;
  /** Null where the program has no reader. */
  view: EmailView | null;
}

/** So many messages are kept, */
const MOST = 20;
/** and so many letters of all of them. */
const MOST_TEXT = 2_000_000;

/**
 * The messages that were read last, to be shown at once when they are opened again. They are asked for all the same: what
 * may be shown can have changed.
 */
export class KeptMessages {
  readonly #messages = new Map<string, OpenMessage>();

  get(accountId: Id, id: Id): OpenMessage | undefined {
    return this.#messages.get(`${accountId}/${id}`);
  }

  /** Takes a message as it was read without asking for more than it shows by itself. */
  put(accountId: Id, message: OpenMessage): void {
    const key = `${accountId}/${message.email.id}`;
    this.#messages.delete(key);
    if (!mayKeep(message)) return;
    this.#messages.set(key, message);
    let rest = [...this.#messages.values()].reduce((sum, one) => sum + lengthOf(one), 0);
    for (const [oldest, one] of this.#messages) {
      if (this.#messages.size <= MOST && rest <= MOST_TEXT) break;
      this.#messages.delete(oldest);
      rest -= lengthOf(one);
    }
  }
}

/** Images of other servers are shown only if the answer of this moment says so. */
function mayKeep({ view }: OpenMessage): boolean {
  return view !== null && view.pendingImageCount === 0 && !(view.html ?? "").includes("data-remote");
}

function lengthOf({ view }: OpenMessage): number {
  return view?.html?.length ?? 0;
}

/** Whether a message looks as before, so that it need not be put into its frame again. */
export function isSameMessage(before: OpenMessage | undefined, now: OpenMessage): boolean {
  return before !== undefined && before.view?.html === now.view?.html && asText(before) === asText(now);
}

function asText({ email, view }: OpenMessage): string {
  return JSON.stringify([email, { ...view, html: null }]);
}

const known = new WeakMap<object, KeptMessages>();

/** Those of the program that is spoken to. */
export function keptOf(client: object): KeptMessages {
  let kept = known.get(client);
  if (!kept) {
    kept = new KeptMessages();
    known.set(client, kept);
  }
  return kept;
}
