import { placeOf } from "./anchors.ts";
import { Eye } from "./eye.ts";
import { type Deception, deception, unread } from "./links.ts";
import { Places } from "./places.ts";
import { readings } from "./readings.ts";
import { inSlices } from "./slices.ts";
import { Suffixes } from "./suffixes.ts";

/** What happens to the links of a message. */
export interface LinkHandlers {
  /** The address of the link that is pointed at or focused. */
  onLink: (address: string | null) => void;
  /** A `mailto:` link was followed. */
  onWrite: (mailto: string) => void;
  /** A misleading link was followed. */
  onMisleading: (found: Deception, go: () => void) => void;
}

interface Held extends Deception {
  address: string;
}

/** How the message looks at a moment. */
interface View {
  eye: Eye;
  places: Places;
}

/**
 * Compares the text of a message's links with their targets, and removes the address of misleading ones: no
 * button, key, menu or dragging then opens them, only a confirmation.
 *
 * All are compared when the message is shown: those of ordinary mail at once, and thousands in slices, so that the
 * message can be read meanwhile. Each is compared again before it is used, because the text's appearance may change with
 * the width of the window or on hover, and because its turn may not have come.
 */
export class LinkGuard {
  readonly #document: Document;
  readonly #held = new WeakMap<Element, Held>();
  #suffixes = new Suffixes("");
  #warnings: Record<string, string> = {};
  #hasDrawnText = true;
  /** What the links of one check share, until something is scrolled. */
  #view: View | null = null;
  #stop = () => {};

  constructor(guarded: Document) {
    this.#document = guarded;
  }

  /** Compares all links, after the message or its look has changed. */
  check(suffixes: Suffixes | null, warnings: Record<string, string>): void {
    this.#stop();
    if (suffixes) this.#suffixes = suffixes;
    this.#warnings = warnings;
    const { body } = this.#document;
    for (const link of body.querySelectorAll<HTMLAnchorElement>("a[data-held]")) this.#release(link);
    this.#hasDrawnText = /content\s*:|list-style|quotes\s*:/i.test(body.innerHTML);
    this.#view = null;
    this.#stop = inSlices(body.querySelectorAll<HTMLAnchorElement>("a[href]"), (links) => {
      this.#compare(links, this.#view ??= this.#look());
    });
  }

  /** Listens until the returned function is called. `handlers` gives the newest ones. */
  watch(handlers: () => LinkHandlers): () => void {
    const stop = new AbortController();
    const listen = (types: string[], heard: (event: Event) => void) => {
      for (const type of types) {
        this.#document.addEventListener(type, heard, { capture: true, signal: stop.signal });
      }
    };
    // Before the browser makes its menu, opens a tab or begins to drag.
    listen(["pointerdown", "mousedown", "touchstart", "focusin", "contextmenu", "dragstart"], (event) => {
      const link = linkOf(event);
      if (link) this.#recheck(link);
    });
    listen(["mouseover", "focusin"], (event) => handlers().onLink(this.#address(linkOf(event))));
    listen(["mouseleave", "focusout"], () => handlers().onLink(null));
    listen(["click", "auxclick", "keydown"], (event) => this.#follow(event, handlers()));
    listen(["scroll"], () => this.#view = null);
    return () => {
      this.#stop();
      stop.abort();
    };
  }

  #follow(event: Event, handlers: LinkHandlers): void {
    const link = linkOf(event);
    if (!link || placeOf(link) !== null) return;
    this.#recheck(link);
    const held = this.#held.get(link);
    if (event.type === "keydown" && !(held && (event as KeyboardEvent).key === "Enter")) return;
    if (event.type === "auxclick" && (event as MouseEvent).button !== 1) return;
    if (held) {
      event.preventDefault();
      event.stopPropagation();
      handlers.onMisleading(held, () => go(held.address, handlers));
      return;
    }
    const { href } = link;
    if (href.startsWith("mailto:")) handlers.onWrite(href);
    // Other schemes open no page.
    else if (/^(https?|tel):/.test(href)) return;
    event.preventDefault();
  }

  #address(link: HTMLAnchorElement | null): string | null {
    if (!link || placeOf(link) !== null) return null;
    return this.#held.get(link)?.address ?? link.href;
  }

  #recheck(link: HTMLAnchorElement): void {
    this.#compare([link], this.#look());
  }

  #compare(links: Iterable<HTMLAnchorElement>, view: View): void {
    // First all is read and then all is written, so that the frame is laid out once.
    const found = Array.from(links, (link) => ({ link, deceives: this.#judge(link, view) }));
    for (const { link, deceives } of found) {
      // A place in the message itself, or held already.
      if (!leadsElsewhere(link)) continue;
      link.target = "_blank";
      link.rel = "noopener noreferrer";
      link.title = link.href;
      // The words under the pointer are those of the innermost element.
      for (const inner of link.querySelectorAll("[title]")) inner.removeAttribute("title");
      if (deceives) this.#hold(link, deceives);
    }
  }

  #judge(link: HTMLAnchorElement, { eye, places }: View): Deception | null {
    if (!leadsElsewhere(link)) return null;
    const read = readings(link, eye, places);
    return read ? deception(read, link.href, this.#suffixes, this.#warnings) : unread(link.href);
  }

  #hold(link: HTMLAnchorElement, found: Deception): void {
    this.#held.set(link, { ...found, address: link.href });
    link.removeAttribute("href");
    link.setAttribute("data-held", "");
    link.setAttribute("role", "link");
    link.setAttribute("aria-description", found.sentence);
    link.title = found.sentence;
    link.tabIndex = 0;
    link.style.cursor = "pointer";
    link.style.textDecoration = "underline";
  }

  #release(link: HTMLAnchorElement): void {
    const held = this.#held.get(link);
    if (!held) return;
    this.#held.delete(link);
    link.href = held.address;
    for (const name of ["data-held", "role", "aria-description", "tabindex"]) link.removeAttribute(name);
  }

  #look(): View {
    return { eye: new Eye(this.#document, this.#hasDrawnText), places: new Places(this.#document) };
  }
}

function go(address: string, handlers: LinkHandlers): void {
  if (address.startsWith("mailto:")) handlers.onWrite(address);
  else open(address, "_blank", "noopener,noreferrer");
}

/** Whether it has an address outside of the message. */
function leadsElsewhere(link: Element): boolean {
  return link.hasAttribute("href") && placeOf(link) === null;
}

function linkOf(event: Event): HTMLAnchorElement | null {
  const target = event.target as Element | null;
  const found = target?.closest?.("a[href], a[data-held]");
  return (found ?? null) as HTMLAnchorElement | null;
}
