/** The only door to pdf.js: what is used of it, with the types that its package lacks. */

// @ts-types="./pdfjs.d.ts"
export { getDocument, PDFWorker, renderTextLayer } from "pdf/build/pdf.js";
export type { FilePage, PdfFile, RenderTask } from "./pdfjs.d.ts";
