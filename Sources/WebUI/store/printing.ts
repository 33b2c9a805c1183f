import { Conversation } from "./conversation.ts";
import { Observable } from "../base/observable.ts";
import type { Id } from "../jmap/types.ts";
import { type MessageFile, messagesOf } from "./messageFiles.ts";
import type { App } from "./app.ts";
import type { Target } from "./target.ts";
import { counted } from "./words.ts";

/** More messages than that would keep the browser busy for minutes. */
const MOST_PRINTED = 100;

/** A conversation on paper: those of its messages that are printed, oldest first. */
export interface PrintedConversation {
  conversation: Conversation;
  ids: Id[];
}

/** Selected conversations on their way to paper. */
export class Printing extends Observable {
  list: PrintedConversation[] = [];
  isBusy = false;

  constructor(private readonly app: App) {
    super();
  }

  /** Opens the messages of conversations, so that they can be printed once they are there. */
  async begin(targets: Target[]): Promise<void> {
    const files = await messagesOf(this.app, targets);
    if (files.length === 0) return void this.app.toasts.show("There is no message to print.");
    if (files.length > MOST_PRINTED) {
      const all = counted(files.length, "message");
      return void this.app.toasts.problem(
        `You selected ${all}. At most ${MOST_PRINTED} can be printed at once.`,
      );
    }
    this.isBusy = true;
    this.changed();
    try {
      const list = await Promise.all(targets.map((target) => this.#open(target, files)));
      if (this.isBusy) this.list = list.filter(({ ids }) => ids.length > 0);
    } catch (error) {
      this.end();
      throw error;
    }
    this.changed();
  }

  end(): void {
    this.isBusy = false;
    this.list = [];
    this.changed();
  }

  async #open({ accountId, threadId }: Target, files: MessageFile[]): Promise<PrintedConversation> {
    const conversation = new Conversation(this.app, accountId, threadId, { isRead: false });
    await conversation.load();
    if (conversation.status === "failed") throw new Error(conversation.problem ?? "");
    for (let gap = someGap(conversation); gap; gap = someGap(conversation)) await conversation.show(gap);
    const printed = new Set(files.filter((file) => file.accountId === accountId).map(({ id }) => id));
    const ids = conversation.emails.map(({ id }) => id).filter((id) => printed.has(id));
    return { conversation, ids };
  }
}

function someGap({ gaps }: Conversation) {
  return gaps.values().next().value;
}

const known = new WeakMap<App, Printing>();

export function printingOf(app: App): Printing {
  let printing = known.get(app);
  if (!printing) {
    printing = new Printing(app);
    known.set(app, printing);
  }
  return printing;
}
