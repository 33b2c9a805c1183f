import { type RefObject, useEffect, useRef, useState } from "react";
import { download } from "../../jmap/blobs.ts";
import { words } from "../../jmap/errors.ts";
import type { BodyPart } from "../../jmap/types.ts";
import { kindOf, typeOf } from "../../store/attachments.ts";
import { visible } from "../../store/source.ts";
import { Spinner } from "../../ui/states.tsx";
import { PdfPages } from "./PdfPages.tsx";

/** So many bytes of a text are shown. */
const MOST_TEXT = 1_000_000;

interface ViewedFileProps {
  part: BodyPart;
  name: string;
  address: string;
  /** Null: as large as fits. */
  scale: number | null;
}

/** A file, shown by the browser. Its type is set here, never detected. */
export function ViewedFile({ part, name, address, scale }: ViewedFileProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const kind = kindOf(part);
  const fail = () => setProblem("the file is damaged, or of a kind that this browser does not play.");
  if (problem) return <p role="alert">The attachment could not be shown: {problem}</p>;
  // Sound and video are played while they come.
  if (kind === "audio") return <audio controls src={address} aria-label={name} onError={fail} />;
  if (kind === "video") return <video controls src={address} aria-label={name} onError={fail} />;
  return <Loaded part={part} name={name} address={address} scale={scale} onProblem={setProblem} />;
}

/** A file that is shown once all of it is here. */
function Loaded(
  { part, name, address, scale, onProblem }: ViewedFileProps & { onProblem: (why: string) => void },
) {
  const file = useFile(address, typeOf(part), onProblem);
  const viewer = useRef<HTMLIFrameElement>(null);
  useKeptFocus(viewer);
  if (!file) return <Spinner label="Loading the attachment" />;
  const kind = kindOf(part);
  if (kind === "text") return <Text blob={file.blob} charset={part.charset} name={name} scale={scale} />;
  if (kind === "image") {
    return (
      <Picture
        source={file.source}
        name={name}
        scale={scale}
        onError={() => onProblem("the file is damaged.")}
      />
    );
  }
  if (!navigator.pdfViewerEnabled) {
    return <PdfPages blob={file.blob} name={name} scale={scale} onProblem={onProblem} />;
  }
  return <iframe ref={viewer} src={file.source} title={name} />;
}

function Picture({ source, name, scale, onError }: {
  source: string;
  name: string;
  scale: number | null;
  onError: () => void;
}) {
  const [width, setWidth] = useState(0);
  const size = scale === null ? {} : { width: `${width * scale}px`, maxWidth: "none", maxHeight: "none" };
  return (
    <div className="preview-scroll" role="group" aria-label="Image" tabIndex={0}>
      <img
        src={source}
        alt={name}
        style={size}
        onLoad={({ currentTarget }) => setWidth(currentTarget.naturalWidth)}
        onError={onError}
      />
    </div>
  );
}

function Text({ blob, charset, name, scale }: {
  blob: Blob;
  charset: string | null;
  name: string;
  scale: number | null;
}) {
  const [text, setText] = useState("");
  useEffect(() => {
    blob.slice(0, MOST_TEXT).arrayBuffer().then((bytes) => setText(visible(decoded(bytes, charset))));
  }, [blob, charset]);
  return (
    <div className="preview-scroll" role="group" aria-label={name} tabIndex={0}>
      {blob.size > MOST_TEXT && <p>Only the first part is shown. Save the file to see all of it.</p>}
      <pre style={{ fontSize: `${(scale ?? 1) * 0.8125}rem` }}>{text}</pre>
    </div>
  );
}

/** Text without a charset is said to be ASCII, and is UTF-8 these days. */
function decoded(bytes: ArrayBuffer, charset: string | null): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return decoder(charset).decode(bytes);
  }
}

function decoder(charset: string | null): TextDecoder {
  try {
    return new TextDecoder(charset ?? "utf-8");
  } catch {
    return new TextDecoder();
  }
}

/** The file, fetched into memory for as long as it is shown. */
function useFile(address: string, type: string, onProblem: (why: string) => void) {
  const [file, setFile] = useState<{ blob: Blob; source: string } | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let made: string | null = null;
    download(address, type, () => {}, stop.signal).then(({ blob }) => {
      made = URL.createObjectURL(blob);
      setFile({ blob, source: made });
    }, (error) => !stop.signal.aborted && onProblem(words(error)));
    return () => {
      stop.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [address, type]);
  return file;
}

/**
 * Takes the focus back from a viewer that takes it unasked, as some do once they have loaded: the keys of the dialog,
 * Escape above all, would no longer work. A user who points at it or goes there with Tab may stay.
 */
function useKeptFocus(viewer: RefObject<HTMLIFrameElement>): void {
  useEffect(() => {
    let before = document.activeElement;
    let isAsked = false;
    const stop = new AbortController();
    const { signal } = stop;
    addEventListener("focusin", ({ target }) => {
      if (target !== viewer.current) before = target as Element;
    }, { signal });
    addEventListener("keydown", ({ key }) => isAsked = key === "Tab", { signal, capture: true });
    // The focus is in another document now, so the page's window has lost it.
    addEventListener("blur", () => {
      const { current } = viewer;
      if (!current || document.activeElement !== current || isAsked || current.matches(":hover")) return;
      // After the browser has moved it.
      setTimeout(() => document.activeElement === current && before instanceof HTMLElement && before.focus());
    }, { signal });
    return () => stop.abort();
  }, [viewer]);
}
