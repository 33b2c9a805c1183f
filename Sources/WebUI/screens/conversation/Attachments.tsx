import { useState } from "react";
import { ATTACHMENT } from "../../actions/attachment.ts";
import { useActionMenu } from "../../actions/useActionMenu.tsx";
import type { BodyPart, Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { counted, size } from "../../store/words.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Progress } from "../../ui/states.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";
import { AttachmentPreview } from "./AttachmentPreview.tsx";
import { useAttachment } from "./useAttachment.ts";

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"];

interface AttachmentsProps {
  accountId: Id;
  parts: BodyPart[];
  /** The risks, keyed by blob id. */
  risks: Record<Id, string>;
}

/** The attachments of a message: their kind, size and actions. */
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

function Attachment({ accountId, part, risk: known }: {
  accountId: Id;
  part: BodyPart;
  risk: string | null;
}) {
  const { name, address, risk, received, save, stop } = useAttachment(accountId, part, known);
  const [isPreview, setPreview] = useState(false);
  const isImage = IMAGES.includes(part.type);
  const app = useApp();
  const canPreview = risk === null && (isImage || part.type === "application/pdf");
  const preview = canPreview ? () => setPreview(true) : null;
  const { onContextMenu, menu } = useActionMenu(name, ATTACHMENT, "attachmentMenu", () => {
    return { app, targets: [], preview, save };
  });
  return (
    <li
      className={`attachment file-chip ${risk ? "attachment-dangerous" : ""}`}
      onContextMenu={onContextMenu}
    >
      <span className="attachment-sign">
        {risk ? <WarningMark warning={risk} /> : <Icon name={isImage ? "image" : "file"} />}
      </span>
      <span className="attachment-text">
        <span className="attachment-name">{name}</span>
        <span className="attachment-size">
          {risk ? `May be dangerous · ${risk} · ` : ""}
          {received === null ? size(part.size) : `${size(received)} of ${size(part.size)}`}
        </span>
        {received !== null && <Progress label={`Fetching ${name}`} done={received} total={part.size} />}
      </span>
      {canPreview && (
        <Button kind="quiet" aria-label={`Preview ${name}`} onClick={() => setPreview(true)}>Preview</Button>
      )}
      {received === null
        ? <IconButton icon="download" label={`Save ${name}`} onClick={save} />
        : <IconButton icon="close" label={`Cancel downloading ${name}`} onClick={stop} />}
      {menu}
      {isPreview && (
        <AttachmentPreview
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
