import { useMemo, useState } from "react";
import { ActionButtons } from "../../actions/ActionButtons.tsx";
import { shortcuts } from "../../actions/offers.ts";
import { VIEWING, type ViewingSubject } from "../../actions/viewing.ts";
import { Shortcuts } from "../../base/shortcuts.ts";
import type { BodyPart, Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { type Kind, kindOf } from "../../store/attachments.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { useAttachment } from "./useAttachment.ts";
import { ViewedFile } from "./ViewedFile.tsx";

/** Zoom, in parts of a file's own size. */
const STEPS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6];

interface ViewerProps {
  accountId: Id;
  /** The attachments that can be looked at. */
  parts: BodyPart[];
  first: BodyPart;
  onClose: () => void;
}

/** Shows one attachment after the other. */
export function AttachmentViewer({ accountId, parts, first, onClose }: ViewerProps) {
  const app = useApp();
  const [at, setAt] = useState(Math.max(0, parts.indexOf(first)));
  /** Null: as large as fits. */
  const [scale, setScale] = useState<number | null>(null);
  const part = parts[at] ?? first;
  const { name, address, save } = useAttachment(accountId, part, null);
  const kind = kindOf(part);
  const subject: ViewingSubject = {
    app,
    targets: [],
    count: parts.length,
    step: (by) => {
      setAt((at + by + parts.length) % parts.length);
      setScale(null);
    },
    zoom: canZoom(kind) ? (by) => setScale(by === 0 ? null : zoomed(scale, by)) : null,
    isLarge: scale !== null,
    save,
  };
  const keys = useKeys(subject);
  return (
    <Dialog
      title={parts.length > 1 ? `${name} (${at + 1} of ${parts.length})` : name}
      isWide
      onClose={onClose}
      footer={
        <>
          <span className="viewer-tools" onKeyDown={keys}>
            <ActionButtons actions={VIEWING} subject={subject} place="viewer" />
          </span>
          <Button kind="primary" data-autofocus onClick={onClose} onKeyDown={keys}>Close</Button>
        </>
      }
    >
      <div className="preview" onKeyDown={keys}>
        <ViewedFile key={address} part={part} name={name} address={address} scale={scale} />
      </div>
    </Dialog>
  );
}

/** A player has no size of its own, and the browser's viewer of PDF files zooms by itself. */
function canZoom(kind: Kind | null): boolean {
  return kind === "image" || kind === "text" || (kind === "pdf" && !navigator.pdfViewerEnabled);
}

function zoomed(scale: number | null, by: 1 | -1): number {
  const now = scale ?? 1;
  const next = by > 0 ? STEPS.find((step) => step > now) : STEPS.filter((step) => step < now).at(-1);
  return next ?? now;
}

/** A dialog keeps its keys from the page, so the viewer has its own. */
function useKeys(subject: ViewingSubject): (event: React.KeyboardEvent) => void {
  const newest = useMemo(() => ({ subject }), []);
  newest.subject = subject;
  const keys = useMemo(() => {
    const made = new Shortcuts();
    made.add({
      title: "Attachment",
      shortcuts: shortcuts(VIEWING, (event) => ({ ...newest.subject, event })),
    });
    made.begin();
    return made;
  }, []);
  return ({ nativeEvent }) => keys.handle(nativeEvent);
}
