import type { Id, Session, State } from "./types.ts";

export type Changed = Record<Id, Record<string, State>>;

const PING_SECONDS = 30;

/**
 * Listens for changes. Reconnects after the program was restarted or the computer slept. Each time it is
 * connected, it calls `onGap`, because earlier changes were missed, also before the first connection. It
 * calls `onLost` whenever the connection is lost.
 */
export class EventListener {
  readonly #url: string;
  readonly #onChange: (changed: Changed) => void;
  readonly #onGap: () => void;
  readonly #onLost: () => void;
  #source: EventSource | null = null;
  #watch: number | undefined;
  #pause = 1000;

  constructor(
    session: Session,
    windowId: Id,
    onChange: (changed: Changed) => void,
    onGap: () => void,
    onLost: () => void,
  ) {
    // The origin of the page, not the one in the session: a cookie belongs to one name of this computer.
    const path = new URL(session.eventSourceUrl.replace(/\{[a-z]+\}/g, "")).pathname;
    this.#url = `${path}?types=*&closeafter=no&ping=${PING_SECONDS}&window=${windowId}`;
    this.#onChange = onChange;
    this.#onGap = onGap;
    this.#onLost = onLost;
  }

  open(): void {
    this.close();
    const source = new EventSource(this.#url);
    this.#source = source;
    source.addEventListener("open", () => {
      this.#pause = 1000;
      this.#heard();
      this.#onGap();
    });
    source.addEventListener("ping", () => this.#heard());
    source.addEventListener("state", (event) => {
      this.#heard();
      this.#onChange((JSON.parse((event as MessageEvent<string>).data) as { changed: Changed }).changed);
    });
    source.addEventListener("error", () => {
      this.#onLost();
      // The browser tries again by itself unless the answer was not a stream.
      if (source.readyState === EventSource.CLOSED) this.#again();
    });
    this.#heard();
  }

  close(): void {
    clearTimeout(this.#watch);
    this.#source?.close();
    this.#source = null;
  }

  /** A stream without two pings is dead, even if the browser considers it open. */
  #heard(): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.open(), PING_SECONDS * 2500);
  }

  #again(): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.open(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, 30_000);
  }
}
