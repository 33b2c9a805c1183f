import type { Sent } from "../../jmap/compose.ts";
import type { App } from "../../store/app.ts";
import { Following, type Reopen } from "./following.ts";

/** How long another window has to say that it is there. */
const PATIENCE = 200;

/** Sees to it that one of the windows that are open tells how it goes with what was sent. */
export class Sending {
  readonly #channel = new BroadcastChannel("mailkernel-sending");

  constructor(private readonly app: App, private readonly reopen: Reopen, canTakeOver: () => boolean) {
    this.#channel.addEventListener("message", ({ data }) => {
      if (data.asks && canTakeOver()) this.#channel.postMessage({ offers: app.windowId, to: data.asks });
      if (data.sent && data.to === app.windowId) this.follow(data.sent as Sent);
    });
  }

  /** Leaves it to a window that stays open. False if there is none. */
  handOver(sent: Sent): Promise<boolean> {
    return new Promise((resolve) => {
      const heard = ({ data }: MessageEvent) => {
        if (data.to !== this.app.windowId || !data.offers) return;
        this.#channel.postMessage({ sent, to: data.offers });
        end(true);
      };
      const end = (isTaken: boolean) => {
        clearTimeout(timer);
        this.#channel.removeEventListener("message", heard);
        resolve(isTaken);
      };
      const timer = setTimeout(() => end(false), PATIENCE);
      this.#channel.addEventListener("message", heard);
      this.#channel.postMessage({ asks: this.app.windowId });
    });
  }

  follow(sent: Sent): void {
    new Following(this.app, sent, this.reopen);
  }
}
