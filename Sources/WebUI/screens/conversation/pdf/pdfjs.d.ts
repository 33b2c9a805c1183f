/** The part of pdf.js that is used; its package brings no types. */

export interface Viewport {
  readonly width: number;
  readonly height: number;
}

export interface RenderTask {
  readonly promise: Promise<void>;
  cancel(): void;
}

export interface FilePage {
  getViewport(options: { scale: number }): Viewport;
  render(options: { canvasContext: CanvasRenderingContext2D; viewport: Viewport }): RenderTask;
  getTextContent(): Promise<unknown>;
  cleanup(): boolean;
}

export interface PdfFile {
  readonly numPages: number;
  getPage(number: number): Promise<FilePage>;
}

export class PDFWorker {
  constructor(options: { port: Worker });
  destroy(): void;
}

export function getDocument(options: {
  data: Uint8Array;
  worker: PDFWorker;
  isEvalSupported: false;
  enableXfa: false;
  useWorkerFetch: false;
}): { readonly promise: Promise<PdfFile>; destroy(): Promise<void> };

export function renderTextLayer(options: {
  textContent: unknown;
  container: HTMLElement;
  viewport: Viewport;
  textDivs: HTMLElement[];
}): RenderTask;
