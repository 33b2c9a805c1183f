import { useEffect, useRef, useState } from "react";
import { Spinner } from "../../ui/states.tsx";
import type { OpenPdf, PdfView } from "./pdf/types.ts";
import "./pdfPages.css";

/** A bundle of its own, which most browsers never need. */
const PLACE = "/pdf.js";

interface PdfPagesProps {
  blob: Blob;
  name: string;
  /** Null: as wide as its place. */
  scale: number | null;
  onProblem: (why: string) => void;
}

/** A PDF file, drawn by the page: for browsers without a viewer of their own. */
export function PdfPages({ blob, name, scale, onProblem }: PdfPagesProps) {
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<PdfView | null>(null);
  useEffect(() => {
    let isGone = false;
    let shown: PdfView | null = null;
    open(place, blob).then((opened) => {
      shown = opened;
      if (isGone) opened?.close();
      else setView(opened);
    }, (error) => !isGone && onProblem(reason(error)));
    return () => {
      isGone = true;
      shown?.close();
    };
  }, [blob]);
  useEffect(() => view?.zoom(scale), [view, scale]);
  return (
    <>
      {!view && <Spinner label="Opening the file" />}
      <div ref={place} className="preview-scroll pdf" role="group" aria-label={name} tabIndex={0} />
    </>
  );
}

async function open(place: { readonly current: HTMLElement | null }, blob: Blob): Promise<PdfView | null> {
  const { openPdf } = await import(PLACE) as { openPdf: OpenPdf };
  return place.current && await openPdf(place.current, blob);
}

function reason(error: Error): string {
  if (error.name === "PasswordException") return "it is protected by a password. Save it instead.";
  if (/^(InvalidPDF|MissingPDF|UnknownError)Exception$/.test(error.name)) return "the file is damaged.";
  return "this browser cannot show PDF files. Save it instead.";
}
