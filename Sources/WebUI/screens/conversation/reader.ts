import type { ReadingSubject } from "../../actions/reading.ts";
import type { Id } from "../../jmap/types.ts";

/** This part of a screen stays in view, so that a reader finds the place again. */
const KEPT = 0.1;
/** So many pixels are no way to scroll. */
const NEAR = 4;

type Reading = ReadingSubject["reader"];

/** Goes through the messages of a conversation that is on the screen. */
export class Reader implements Reading {
  /**
   * - Parameter pane: what scrolls, with the messages in it.
   * - Parameter goOn: opens the next conversation.
   */
  constructor(
    private readonly pane: HTMLElement,
    private readonly fold: (id: Id) => void,
    private readonly goOn: () => void,
  ) {}

  get #messages(): HTMLElement[] {
    return [...this.pane.querySelectorAll<HTMLElement>(".message")];
  }

  /** The message with the focus, which may be in its frame. */
  get #focused(): HTMLElement | null {
    return this.pane.ownerDocument.activeElement?.closest<HTMLElement>(".message") ?? null;
  }

  step(by: 1 | -1): void {
    const messages = this.#messages;
    const from = this.#focused ?? this.#topmost;
    const at = from ? messages.indexOf(from) : -1;
    const message = messages[Math.max(0, Math.min(messages.length - 1, at + by))];
    if (!message) return;
    message.focus({ preventScroll: true });
    const view = this.pane.getBoundingClientRect();
    const { top, bottom } = message.getBoundingClientRect();
    if (top < view.top || bottom > view.bottom) message.scrollIntoView({ block: "start" });
  }

  /** The first message of which more than its edge is in view. */
  get #topmost(): HTMLElement | undefined {
    const { top } = this.pane.getBoundingClientRect();
    return this.#messages.find((message) => message.getBoundingClientRect().bottom > top + NEAR);
  }

  toggle({ target }: KeyboardEvent): void | false {
    const message = this.#focused;
    const id = message?.dataset["email"];
    const isInFrame = (target as Node | null)?.ownerDocument !== this.pane.ownerDocument;
    const isLink = (target as Element | null)?.closest?.("a[href], summary");
    if (!message || !id || isLink || !isInFrame && target !== message) return false;
    // Its frame goes, and the focus would go with it.
    message.focus({ preventScroll: true });
    this.fold(id);
    if (message.getBoundingClientRect().top < this.pane.getBoundingClientRect().top) {
      message.scrollIntoView({ block: "start" });
    }
  }

  scroll(by: 1 | -1): void {
    const { scrollTop, scrollHeight, clientHeight } = this.pane;
    if (by > 0 && scrollTop + clientHeight >= scrollHeight - NEAR) this.goOn();
    else this.pane.scrollBy({ top: by * clientHeight * (1 - KEPT) });
  }
}
