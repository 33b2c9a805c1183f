import { type RefObject, useEffect, useRef, useState } from "react";
import { download } from "../../jmap/blobs.ts";
import { words } from "../../jmap/errors.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Spinner } from "../../ui/states.tsx";

interface PreviewProps {
  name: string;
  address: string;
  type: string;
  onSave: () => void;
  onClose: () => void;
}

/** An image or PDF, shown by the browser from memory. Its type is set here, never detected. */
export function AttachmentPreview({ name, address, type, onSave, onClose }: PreviewProps) {
  const { source, problem, setProblem } = useSource(address, type);
  const viewer = useRef<HTMLIFrameElement>(null);
  useKeptFocus(viewer);
  return (
    <Dialog
      title={name}
      isWide
      onClose={onClose}
      footer={
        <>
          <Button icon="download" onClick={onSave}>Save</Button>
          <Button kind="primary" data-autofocus onClick={onClose}>Close</Button>
        </>
      }
    >
      <div className="preview">
        {problem
          ? <p role="alert">The preview could not be shown: {problem}</p>
          : source === null
          ? <Spinner label="Loading the preview" />
          : type === "application/pdf"
          ? <iframe ref={viewer} src={source} title={name} />
          : <img src={source} alt={name} onError={() => setProblem("the file is damaged.")} />}
      </div>
    </Dialog>
  );
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

/** The file, fetched into memory for as long as it is shown. */
function useSource(address: string, type: string) {
  const [source, setSource] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let made: string | null = null;
    download(address, type, () => {}, stop.signal).then(({ blob }) => {
      made = URL.createObjectURL(blob);
      setSource(made);
    }, (error) => !stop.signal.aborted && setProblem(words(error)));
    return () => {
      stop.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [address, type]);
  return { source, problem, setProblem };
}
