import { Observable } from "../base/observable.ts";

/**
 * The current place: the part of the address after `#/`, split at slashes, and its query after `?`. Other
 * windows are the same page with a different address.
 */
export interface Place {
  path: string[];
  query: URLSearchParams;
}

export function readPlace(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const parts = path.split("/").filter((part) => part !== "").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { path: parts, query: new URLSearchParams(query) };
}

export function address(path: string[], query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

export class Router extends Observable {
  place: Place;
  /** Where `go` was called, for `leave` to find the way back. */
  readonly #trail: string[] = [];
  /** Actions to run once the browser has gone back. Earlier, they would be undone. */
  #waiting: (() => void)[] | null = null;
  #patience: number | undefined;

  constructor(private readonly win: Window = window) {
    super();
    this.place = readPlace(win.location.hash);
    win.addEventListener("hashchange", () => {
      if (this.#trail.at(-1) === win.location.hash) this.#trail.pop();
      this.#read();
      this.#arrived();
    });
  }

  /** Goes there; “back” leads to where the person was. */
  go(path: string[], query: Record<string, string> = {}): void {
    if (this.#waiting) return void this.#waiting.push(() => this.go(path, query));
    const target = address(path, query);
    if (target === this.win.location.hash) return;
    this.#trail.push(this.win.location.hash);
    this.win.history.pushState(null, "", target);
    this.#read();
  }

  /** Goes there in place of where the person is. */
  replace(path: string[], query: Record<string, string> = {}): void {
    if (this.#waiting) return void this.#waiting.push(() => this.replace(path, query));
    this.win.history.replaceState(null, "", address(path, query));
    this.#read();
  }

  /** Once, however often it is asked for before the browser is there: a second time would leave the page. */
  back(): void {
    if (this.#waiting) return;
    this.#waiting = [];
    this.win.history.back();
    // Where there is nothing to go back to, nothing happens.
    this.#patience = setTimeout(() => this.#arrived(), 1000);
  }

  /** Goes to where the person came from if that is this place; else there, in place of where the person is. */
  leave(path: string[], query: Record<string, string> = {}): void {
    if (this.#waiting) return void this.#waiting.push(() => this.leave(path, query));
    const target = address(path, query);
    if (target === this.win.location.hash) return;
    if (this.#trail.at(-1) === target) this.back();
    else this.replace(path, query);
  }

  /** Goes to where the person came from in this window, or else there. */
  backOr(path: string[]): void {
    if (this.#trail.length > 0) this.back();
    else this.replace(path);
  }

  /** A separate browser window; `name` brings an open one to the front. */
  openWindow(
    path: string[],
    name: string,
    size = "width=760,height=720",
    query: Record<string, string> = {},
  ): boolean {
    return this.win.open(`/${address(path, query)}`, name, `popup,${size}`) !== null;
  }

  #arrived(): void {
    clearTimeout(this.#patience);
    const works = this.#waiting ?? [];
    this.#waiting = null;
    for (const work of works) work();
  }

  #read(): void {
    this.place = readPlace(this.win.location.hash);
    this.changed();
  }
}
