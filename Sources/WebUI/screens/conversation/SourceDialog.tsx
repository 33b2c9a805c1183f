import { useEffect, useState } from "react";
import { words } from "../../jmap/errors.ts";
import { loadSource, type Source } from "../../store/source.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Spinner } from "../../ui/states.tsx";

interface SourceDialogProps {
  address: string;
  onSave: () => void;
  onClose: () => void;
}

/** A message as it was sent, as plain text: nothing of it is interpreted. */
export function SourceDialog({ address, onSave, onClose }: SourceDialogProps) {
  const { source, problem } = useSource(address);
  return (
    <Dialog
      title="Source and headers"
      isWide
      onClose={onClose}
      footer={
        <>
          <Button icon="download" onClick={onSave}>Save</Button>
          <Button kind="primary" data-autofocus onClick={onClose}>Close</Button>
        </>
      }
    >
      {problem
        ? <p role="alert">The source could not be shown: {problem}</p>
        : source
        ? <SourceText source={source} />
        : <Spinner label="Loading the source" />}
    </Dialog>
  );
}

function SourceText({ source: { headers, body, isCut } }: { source: Source }) {
  return (
    <>
      {isCut && <p>Only the first part is shown. Save the message to see all of it.</p>}
      <div className="source" role="group" aria-label="Source" tabIndex={0}>
        <h3>Headers</h3>
        <pre>{headers}</pre>
        <h3>Content</h3>
        <pre>{body}</pre>
      </div>
    </>
  );
}

function useSource(address: string) {
  const [source, setSource] = useState<Source | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    loadSource(address, stop.signal).then(setSource, (error) => {
      if (!stop.signal.aborted) setProblem(words(error));
    });
    return () => stop.abort();
  }, [address]);
  return { source, problem };
}
