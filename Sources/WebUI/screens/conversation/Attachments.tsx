import { type DragEvent, useState } from "react";
import { ATTACHMENT } from "../../actions/attachment.ts";
import { useActionMenu } from "../../actions/useActionMenu.tsx";
import type { BodyPart, Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { type Kind, kindOf, listedParts, typeOf } from "../../store/attachments.ts";
import { counted, size } from "../../store/words.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { Progress } from "../../ui/states.tsx";
import { WarningMark } from "../../ui/WarningMark.tsx";
import { AttachmentViewer } from "./AttachmentViewer.tsx";
import { useAttachment } from "./useAttachment.ts";
import { useSaveAll } from "./useSaveAll.ts";

const ICONS: Record<Kind, IconName> = {
  image: "image",
  pdf: "file",
  text: "drafts",
  audio: "music",
  video: "video",
};
/** Larger images are not fetched from the service before the user asks for them. */
const MOST_THUMBNAIL = 5_000_000;

interface AttachmentsProps {
  accountId: Id;
  parts: BodyPart[];
  /** The risks, keyed by blob id. */
  risks: Record<Id, string>;
  /** The text of the message, which may show some of them. */
  html: string | null;
  /** The name of an archive of all of them. */
  title: string;
}

/** The attachments of a message: their kind, size and actions. */
export function Attachments({ accountId, parts, risks, html, title }: AttachmentsProps) {
  const shown = listedParts(accountId, parts, html);
  const [viewed, setViewed] = useState<BodyPart | null>(null);
  const riskOf = ({ blobId }: BodyPart) => risks[blobId ?? ""] ?? null;
  const viewable = shown.filter((part) => kindOf(part) !== null && riskOf(part) === null);
  if (shown.length === 0) return null;
  const total = shown.reduce((sum, part) => sum + part.size, 0);
  return (
    <section className="attachments" aria-label="Attachments">
      <div className="attachments-title">
        <span>{counted(shown.length, "attachment")}</span> <span>{size(total)}</span>
        {shown.length > 1 && <SaveAll {...{ accountId, parts: shown, risks, title, total }} />}
      </div>
      <ul className="file-grid">
        {shown.map((part) => (
          <Attachment
            key={part.blobId}
            accountId={accountId}
            part={part}
            risk={riskOf(part)}
            onView={viewable.includes(part) ? () => setViewed(part) : null}
          />
        ))}
      </ul>
      {viewed && (
        <AttachmentViewer
          accountId={accountId}
          parts={viewable}
          first={viewed}
          onClose={() => setViewed(null)}
        />
      )}
    </section>
  );
}

function SaveAll(
  { accountId, parts, risks, title, total }: Omit<AttachmentsProps, "html"> & { total: number },
) {
  const { received, saveAll, stop } = useSaveAll(accountId, parts, risks, title);
  if (received === null) {
    return <Button kind="quiet" icon="download" onClick={saveAll}>Save all as ZIP</Button>;
  }
  return (
    <>
      <Progress label="Fetching all attachments" done={received} total={total} />
      <IconButton icon="close" label="Cancel saving all attachments" onClick={stop} />
    </>
  );
}

interface AttachmentProps {
  accountId: Id;
  part: BodyPart;
  risk: string | null;
  /** Null for one that can only be saved. */
  onView: (() => void) | null;
}

function Attachment({ accountId, part, risk: known, onView }: AttachmentProps) {
  const { name, address, risk, received, save, stop } = useAttachment(accountId, part, known);
  const app = useApp();
  const { onContextMenu, menu } = useActionMenu(
    name,
    ATTACHMENT,
    "attachmentMenu",
    () => ({ app, targets: [], preview: risk === null ? onView : null, save }),
  );
  const face = (
    <>
      {risk
        ? (
          <span className="attachment-sign">
            <WarningMark warning={risk} />
          </span>
        )
        : <Thumbnail part={part} address={address} />}
      <span className="attachment-text">
        <span className="attachment-name">{name}</span>
        <span className="attachment-size">
          {risk ? `May be dangerous · ${risk} · ` : ""}
          {received === null ? size(part.size) : `${size(received)} of ${size(part.size)}`}
        </span>
        {received !== null && <Progress label={`Fetching ${name}`} done={received} total={part.size} />}
      </span>
    </>
  );
  return (
    <li
      className={`attachment file-chip ${risk ? "attachment-dangerous" : ""}`}
      draggable={risk === null}
      onContextMenu={onContextMenu}
      onDragStart={(event) => dragOut(event, typeOf(part), name, address)}
    >
      {onView && risk === null
        ? (
          <button type="button" className="attachment-face" aria-label={`Preview ${name}`} onClick={onView}>
            {face}
          </button>
        )
        : <span className="attachment-face">{face}</span>}
      {received === null
        ? <IconButton icon="download" label={`Save ${name}`} onClick={save} />
        : <IconButton icon="close" label={`Cancel downloading ${name}`} onClick={stop} />}
      {menu}
    </li>
  );
}

/** A small picture of an image, or a sign for what it is. */
function Thumbnail({ part, address }: { part: BodyPart; address: string }) {
  const [hasFailed, setFailed] = useState(false);
  const kind = kindOf(part);
  if (kind === "image" && part.size <= MOST_THUMBNAIL && !hasFailed) {
    return (
      <img
        className="attachment-thumbnail"
        src={address}
        alt=""
        loading="lazy"
        decoding="async"
        draggable={false}
        onError={() => setFailed(true)}
      />
    );
  }
  return (
    <span className="attachment-sign">
      <Icon name={kind ? ICONS[kind] : "file"} />
    </span>
  );
}

/** Where the browser can, a file that is dropped on the desktop or in a folder is saved there. */
function dragOut({ dataTransfer }: DragEvent, type: string, name: string, address: string): void {
  dataTransfer.effectAllowed = "copy";
  const url = new URL(address, location.href).href;
  dataTransfer.setData("DownloadURL", `${type}:${name.replaceAll(":", "_")}:${url}`);
}
