import { type FilePage, type PdfFile, type RenderTask, renderTextLayer } from "./pdfjs.ts";

/** Browsers refuse larger canvases, and phones have little memory. */
const MOST_PIXELS = 16_000_000;

/** A page of a file: its picture, and above it its text, to be selected and read aloud. */
export class DrawnPage {
  readonly element = document.createElement("div");
  readonly #file: PdfFile;
  readonly #number: number;
  #width = 0;
  #isWanted = false;
  #tasks: RenderTask[] = [];
  /** Grows when what is being drawn is no longer wanted. */
  #turn = 0;

  /** The ratio of its height to its width is a guess until it is drawn. */
  constructor(file: PdfFile, number: number, ratio: number) {
    this.#file = file;
    this.#number = number;
    this.element.className = "pdf-page";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", `Page ${number} of ${file.numPages}`);
    this.element.style.aspectRatio = `1 / ${ratio}`;
  }

  set width(pixels: number) {
    if (pixels === this.#width) return;
    this.#width = pixels;
    this.element.style.width = `${pixels}px`;
    if (this.#isWanted) this.draw();
  }

  draw(): void {
    this.#stop();
    this.#isWanted = true;
    const turn = this.#turn;
    this.#file.getPage(this.#number).then((page) => this.#paint(page, turn)).catch((error) => {
      if (turn === this.#turn) this.element.textContent = `This page could not be shown: ${error.message}`;
    });
  }

  clear(): void {
    this.#stop();
    this.#isWanted = false;
    this.element.replaceChildren();
  }

  #stop(): void {
    this.#turn += 1;
    for (const task of this.#tasks) task.cancel();
    this.#tasks = [];
  }

  async #paint(page: FilePage, turn: number): Promise<void> {
    if (turn !== this.#turn) return;
    const { width, height } = page.getViewport({ scale: 1 });
    this.element.style.aspectRatio = `${width} / ${height}`;
    const scale = this.#width / width;
    const sharpness = Math.min(devicePixelRatio, Math.sqrt(MOST_PIXELS / (width * height)) / scale);
    const canvas = this.#canvas(page, scale * sharpness);
    await this.#tasks[0]?.promise;
    const text = await page.getTextContent();
    if (turn !== this.#turn) return;
    const layer = document.createElement("div");
    layer.className = "pdf-text";
    const task = renderTextLayer({
      textContent: text,
      container: layer,
      viewport: page.getViewport({ scale }),
      textDivs: [],
    });
    this.#tasks.push(task);
    await task.promise;
    if (turn === this.#turn) this.element.replaceChildren(canvas, layer);
  }

  #canvas(page: FilePage, scale: number): HTMLCanvasElement {
    const viewport = page.getViewport({ scale });
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-hidden", "true");
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    const canvasContext = canvas.getContext("2d");
    if (!canvasContext) throw new Error("this browser cannot draw.");
    this.#tasks.push(page.render({ canvasContext, viewport }));
    return canvas;
  }
}
