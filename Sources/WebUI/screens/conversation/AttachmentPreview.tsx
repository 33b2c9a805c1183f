import { useEffect, useState } from "react";
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
          ? <iframe src={source} title={name} />
          : <img src={source} alt={name} onError={() => setProblem("the file is damaged.")} />}
      </div>
    </Dialog>
  );
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
