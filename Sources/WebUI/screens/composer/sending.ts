import type { Sent } from "../../jmap/compose.ts";
import type { App } from "../../store/app.ts";
import { Following, type Reopen } from "./following.ts";

/** How many milliseconds another window has to say that it is there. The one that opened this one may be busy. */
const PATIENCE = { opener: 2000, stranger: 200 };

/** Sees to it that one of the windows that are open tells how it goes with what was sent. */
export class Sending {
  readonly #channel = new BroadcastChannel("mailkernel-sending");

  constructor(private readonly app: App, private readonly reopen: Reopen, canTakeOver: () => boolean) {
    this.#channel.addEventListener("message", ({ data }) => {
      if (data.asks && canTakeOver()) this.#channel.postMessage({ offers: app.windowId, to: data.asks });
      if (data.sent && data.to === app.windowId) this.follow(data.sent as Sent);
    });
  }

  /** Leaves it to a window that stays open: null. Else it is to be followed here, with the time that is left. */
  handOver(sent: Sent): Promise<Sent | null> {
    const began = performance.now();
    const now = () => {
      const undoSeconds = Math.max(0, sent.undoSeconds - (performance.now() - began) / 1000);
      return { ...sent, undoSeconds };
    };
    return new Promise((resolve) => {
      const heard = ({ data }: MessageEvent) => {
        if (data.to !== this.app.windowId || !data.offers) return;
        this.#channel.postMessage({ sent: now(), to: data.offers });
        end(null);
      };
      const end = (left: Sent | null) => {
        clearTimeout(timer);
        this.#channel.removeEventListener("message", heard);
        resolve(left);
      };
      const patience = self.opener && !self.opener.closed ? PATIENCE.opener : PATIENCE.stranger;
      const timer = setTimeout(() => end(now()), patience);
      this.#channel.addEventListener("message", heard);
      this.#channel.postMessage({ asks: this.app.windowId });
    });
  }

  follow(sent: Sent): void {
    new Following(this.app, sent, this.reopen);
  }
}
