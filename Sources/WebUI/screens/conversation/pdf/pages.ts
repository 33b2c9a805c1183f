import { DrawnPage } from "./drawnPage.ts";
import type { PdfFile } from "./pdfjs.ts";

/** Pixels of the page in a point of the file. */
const PIXELS = 96 / 72;

/** The pages of a file, one below the other. Those near the ones in view are drawn. */
export class Pages {
  readonly #place: HTMLElement;
  readonly #pages = new Map<Element, DrawnPage>();
  readonly #near: IntersectionObserver;
  readonly #size: ResizeObserver;
  /** How wide the first page is, in points. */
  readonly #width: number;
  #scale: number | null = null;

  static async show(file: PdfFile, place: HTMLElement): Promise<Pages> {
    const first = (await file.getPage(1)).getViewport({ scale: 1 });
    return new Pages(file, place, first.width, first.height / first.width);
  }

  private constructor(file: PdfFile, place: HTMLElement, width: number, ratio: number) {
    this.#place = place;
    this.#width = width;
    for (let number = 1; number <= file.numPages; number += 1) {
      const page = new DrawnPage(file, number, ratio);
      this.#pages.set(page.element, page);
    }
    place.replaceChildren(...this.#pages.keys());
    this.#fit();
    this.#near = new IntersectionObserver((entries) => this.#look(entries), {
      root: place,
      rootMargin: "100% 0%",
    });
    for (const element of this.#pages.keys()) this.#near.observe(element);
    this.#size = new ResizeObserver(() => this.#fit());
    this.#size.observe(place);
  }

  zoom(scale: number | null): void {
    this.#scale = scale;
    this.#fit();
  }

  close(): void {
    this.#near.disconnect();
    this.#size.disconnect();
    for (const page of this.#pages.values()) page.clear();
    this.#place.replaceChildren();
  }

  #look(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const page = this.#pages.get(target);
      if (isIntersecting) page?.draw();
      else page?.clear();
    }
  }

  /** Gives all pages their width, those that are wider than the first included. */
  #fit(): void {
    const width = this.#scale === null ? this.#place.clientWidth : this.#width * PIXELS * this.#scale;
    for (const page of this.#pages.values()) page.width = Math.round(width);
  }
}
