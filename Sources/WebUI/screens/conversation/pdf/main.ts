import { Pages } from "./pages.ts";
import { getDocument, PDFWorker } from "./pdfjs.ts";
import type { OpenPdf } from "./types.ts";

const WORKER = "/pdf.worker.js";

interface Policies {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): {
    createScriptURL: (url: string) => string;
  };
}

const rules = { createScriptURL: (url: string) => url };
const { trustedTypes } = globalThis as { trustedTypes?: Policies };
const policy = trustedTypes?.createPolicy("pdf", rules) ?? rules;

/**
 * Draws a PDF file, for browsers that have no viewer of their own.
 *
 * The file is read in a worker. Nothing in it runs: the part of pdf.js that could run a file's scripts is not in the
 * bundle, and functions of its fonts and shadings are interpreted instead of compiled.
 */
export const openPdf: OpenPdf = async (place, file) => {
  // pdf.js would give the worker's address as a text, which the page's policy refuses.
  const port = new Worker(policy.createScriptURL(WORKER), { type: "module" });
  const worker = new PDFWorker({ port });
  const task = getDocument({
    data: new Uint8Array(await file.arrayBuffer()),
    worker,
    isEvalSupported: false,
    enableXfa: false,
    useWorkerFetch: false,
  });
  const stop = () => {
    task.destroy().catch(() => {});
    worker.destroy();
    port.terminate();
  };
  try {
    const pages = await Pages.show(await task.promise, place);
    return {
      zoom: (scale) => pages.zoom(scale),
      close() {
        pages.close();
        stop();
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
};
