import { Observable } from "./observable.ts";

export interface Toast {
  id: number;
  text: string;
  kind: "plain" | "problem";
  action: { label: string; run: () => void } | null;
  /** Another way on. */
  second: { label: string; run: () => void } | null;
  /** A tap anywhere on it does what its action does. */
  isTappable: boolean;
  /** How long it is shown; null until it is dismissed. */
  seconds: number | null;
  /** Shows how much of that time is left. */
  hasCountdown: boolean;
  /** Called once when it goes away by itself or is dismissed, not when its action was taken. */
  onEnd: (() => void) | null;
}

const DEFAULT: Omit<Toast, "id" | "text"> = {
  kind: "plain",
  action: null,
  second: null,
  isTappable: false,
  seconds: 5,
  hasCountdown: false,
  onEnd: null,
};

/** Short messages at the edge of the window, read out by screen readers. */
export class Toasts extends Observable {
  list: Toast[] = [];
  #lastId = 0;
  readonly #timers = new Map<number, number>();

  show(text: string, options: Partial<Omit<Toast, "id" | "text">> = {}): number {
    const toast = { ...DEFAULT, ...options, id: ++this.#lastId, text };
    // More than three toasts at once are not readable.
    for (const old of this.list.slice(0, Math.max(0, this.list.length - 2))) this.dismiss(old.id);
    this.list = [...this.list, toast];
    this.#arm(toast);
    this.changed();
    return toast.id;
  }

  /** Something failed; stays longer, and interrupts a screen reader. Said again, it is there once. */
  problem(text: string, action: Toast["action"] = null): number {
    for (const same of this.list.filter((toast) => toast.kind === "problem" && toast.text === text)) {
      this.dismiss(same.id);
    }
    return this.show(text, { kind: "problem", action, seconds: action ? null : 10 });
  }

  update(id: number, patch: Partial<Omit<Toast, "id">>): void {
    this.list = this.list.map((toast) => toast.id === id ? { ...toast, ...patch } : toast);
    const toast = this.list.find((toast) => toast.id === id);
    if (toast && "seconds" in patch) this.#arm(toast);
    this.changed();
  }

  dismiss(id: number): void {
    this.#remove(id)?.onEnd?.();
  }

  act(id: number, which: "action" | "second" = "action"): void {
    this.#remove(id)?.[which]?.run();
  }

  /** The time is paused while the pointer is on a toast. */
  hold(id: number): void {
    clearTimeout(this.#timers.get(id));
  }

  resume(id: number): void {
    const toast = this.list.find((toast) => toast.id === id);
    if (toast && !toast.hasCountdown) this.#arm(toast);
  }

  #arm(toast: Toast): void {
    clearTimeout(this.#timers.get(toast.id));
    if (toast.seconds === null) return;
    this.#timers.set(toast.id, setTimeout(() => this.dismiss(toast.id), toast.seconds * 1000));
  }

  #remove(id: number): Toast | undefined {
    const toast = this.list.find((toast) => toast.id === id);
    if (!toast) return undefined;
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.list = this.list.filter((other) => other !== toast);
    this.changed();
    return toast;
  }
}
