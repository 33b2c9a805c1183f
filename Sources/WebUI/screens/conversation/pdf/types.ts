/** A PDF file that is shown. */
export interface PdfView {
  /** In parts of its own size; null: as wide as its place. */
  zoom(scale: number | null): void;
  close(): void;
}

/** Shows a PDF file in an element of the page. */
export type OpenPdf = (place: HTMLElement, file: Blob) => Promise<PdfView>;
