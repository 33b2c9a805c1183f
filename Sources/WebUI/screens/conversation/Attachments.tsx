import { useEffect, useRef, useState } from "react";
import { download, downloadURL } from "../../jmap/blobs.ts";
import { words } from "../../jmap/errors.ts";
import type { BodyPart, Id } from "../../jmap/types.ts";
import type { BlobFetch } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { counted, inOrder, size } from "../../store/words.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Progress, Spinner } from "../../ui/states.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"];

interface AttachmentsProps {
  accountId: Id;
  parts: BodyPart[];
  /** By blob: what it may do. */
  risks: Record<Id, string>;
}

/** What came with a message: what it is, how large, and what can be done with it. */
export function Attachments({ accountId, parts, risks }: AttachmentsProps) {
  const shown = parts.filter((part) => part.blobId !== null);
  if (shown.length === 0) return null;
  const total = shown.reduce((sum, part) => sum + part.size, 0);
  return (
    <section className="attachments" aria-label="Attachments">
      <p className="attachments-title">
        {counted(shown.length, "attachment")} <span>{size(total)}</span>
      </p>
      <ul className="file-grid">
        {shown.map((part) => (
          <Attachment
            key={part.blobId}
            accountId={accountId}
            part={part}
            risk={risks[part.blobId ?? ""] ?? null}
          />
        ))}
      </ul>
    </section>
  );
}

function Attachment(
  { accountId, part, risk: known }: { accountId: Id; part: BodyPart; risk: string | null },
) {
  const app = useApp();
  // What its bytes are may be known only when they have come.
  const [found, setFound] = useState<string | null>(null);
  const risk = known ?? found;
  const isDangerous = risk !== null;
  const [saved, setSaved] = useState<number | null>(null);
  const fetches = useObservable(app.records<BlobFetch>("BlobFetch"));
  // First it comes from the service, then from this machine, which takes no time.
  const fetched = fetches.list.find(({ id }) => id === part.blobId)?.received ?? 0;
  const received = saved === null ? null : Math.max(saved, Math.min(fetched, part.size));
  const [isPreview, setPreview] = useState(false);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const name = inOrder(part.name ?? "").replace(/\s+/g, " ").trim() || "Attachment without a name";
  const isImage = IMAGES.includes(part.type);
  const canPreview = !isDangerous && (isImage || part.type === "application/pdf");
  const address = downloadURL(accountId, part.blobId ?? "", name, part.type);

  function ask(why: string): Promise<boolean> {
    return app.dialogs.confirm({
      title: "This file can do harm",
      text: `“${name}”: ${why} Save it only if you expected it and trust its sender.`,
      confirm: "Save anyway",
      isDestructive: true,
    });
  }

  async function save(): Promise<void> {
    if (risk && !await ask(risk)) return;
    stop.current = new AbortController();
    setSaved(0);
    fetches.load();
    try {
      const { blob, risk: came } = await download(
        address,
        "application/octet-stream",
        setSaved,
        stop.current.signal,
      );
      if (came && !risk) {
        setFound(came);
        setSaved(null);
        if (!await ask(came)) return;
      }
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (error) {
      if (!stop.current.signal.aborted) {
        app.toasts.problem(`“${name}” could not be fetched: ${words(error)}`, {
          label: "Try again",
          run: save,
        });
      }
    }
    setSaved(null);
  }

  return (
    <li className={`attachment file-chip ${isDangerous ? "attachment-dangerous" : ""}`}>
      <span className="attachment-sign">
        {risk ? <WarningMark warning={risk} /> : <Icon name={isImage ? "image" : "file"} />}
      </span>
      <span className="attachment-text">
        <span className="attachment-name">{name}</span>
        <span className="attachment-size">
          {risk ? `Can do harm · ${risk} · ` : ""}
          {received === null ? size(part.size) : `${size(received)} of ${size(part.size)}`}
        </span>
        {received !== null && <Progress label={`Fetching ${name}`} done={received} total={part.size} />}
      </span>
      {canPreview && (
        <Button kind="quiet" aria-label={`Preview ${name}`} onClick={() => setPreview(true)}>Preview</Button>
      )}
      {received === null
        ? <IconButton icon="download" label={`Save ${name}`} onClick={save} />
        : <IconButton icon="close" label={`Stop fetching ${name}`} onClick={() => stop.current?.abort()} />}
      {isPreview && (
        <Preview
          name={name}
          address={address}
          type={part.type}
          onSave={save}
          onClose={() => setPreview(false)}
        />
      )}
    </li>
  );
}

interface PreviewProps {
  name: string;
  address: string;
  type: string;
  onSave: () => void;
  onClose: () => void;
}

/** An image or a PDF, shown by the browser from memory. Its type is what we say, never what is in it. */
function Preview({ name, address, type, onSave, onClose }: PreviewProps) {
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
          ? <p role="alert">It could not be shown: {problem}</p>
          : source === null
          ? <Spinner label="Loading the preview" />
          : type === "application/pdf"
          ? <iframe src={source} title={name} />
          : <img src={source} alt={name} onError={() => setProblem("the file is damaged.")} />}
      </div>
    </Dialog>
  );
}
