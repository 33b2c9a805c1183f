import { forwardRef, type InputHTMLAttributes, type RefObject, useRef } from "react";
import { counted, size } from "../../store/words.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Progress } from "../../ui/states.tsx";
import type { Composer } from "./composer.ts";
import type { AttachedFile } from "./files.ts";

/** The files of a message: name, size, how far they are, and a button that removes each. */
export function FileList({ composer }: { composer: Composer }) {
  const { files } = composer;
  const { listed } = files;
  if (listed.length === 0) return null;
  return (
    <section className="files" aria-label="Attachments">
      <p className="files-total">
        {counted(listed.length, "attachment")}, {size(listed.reduce((sum, file) => sum + file.size, 0))}
      </p>
      <ul className="file-grid">
        {listed.map((file) => <FileItem key={file.key} file={file} composer={composer} />)}
      </ul>
    </section>
  );
}

function FileItem({ file, composer }: { file: AttachedFile; composer: Composer }) {
  const isSending = file.blobId === null && file.problem === null;
  return (
    <li className="file file-chip">
      <Icon name={file.problem ? "warning" : file.type.startsWith("image/") ? "image" : "file"} />
      <div className="file-words">
        <span className="file-name">{file.name}</span>
        <span className="field-hint">
          {size(file.size)}
          {file.isPending && !file.problem && " – will be downloaded before sending"}
        </span>
        {file.problem && <span className="field-problem" role="alert">{file.problem}</span>}
        {isSending && (
          <Progress label={`Attaching ${file.name}`} done={file.sent ?? 0} total={file.size || null} />
        )}
      </div>
      {file.problem && (
        <Button icon="refresh" onClick={() => composer.files.retry(file.key)}>Try again</Button>
      )}
      <IconButton
        icon="close"
        label={`Remove ${file.name}, ${size(file.size)}`}
        onClick={() => remove(composer, file)}
      />
    </li>
  );
}

/** An image goes from the text with its file. */
function remove(composer: Composer, { key, cid }: AttachedFile): void {
  if (cid !== null) composer.content.removeImage(cid);
  composer.files.remove(key);
  composer.edited();
}

interface ChooserProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  onFiles: (files: File[]) => void;
}

/** The hidden file input, used through a button. */
export const Chooser = forwardRef<HTMLInputElement, ChooserProps>(
  function Chooser({ label, onFiles, ...rest }, ref) {
    const chosen = (input: HTMLInputElement) => {
      if (input.files?.length) onFiles([...input.files]);
      // The same file can be chosen again after it was removed.
      input.value = "";
    };
    return (
      <input
        ref={ref}
        type="file"
        hidden
        aria-label={label}
        onChange={(event) => chosen(event.currentTarget)}
        {...rest}
      />
    );
  },
);

interface ChoosersProps {
  /** The file input that the action opens. */
  files: RefObject<HTMLInputElement>;
  onFiles: (files: File[]) => void;
}

/** What chooses files, and the button for a picture where the device has a camera. */
export function Choosers({ files, onFiles }: ChoosersProps) {
  const camera = useRef<HTMLInputElement>(null);
  return (
    <>
      <Chooser ref={files} label="Files to attach" multiple onFiles={onFiles} />
      <IconButton
        icon="camera"
        label="Take a picture"
        className="camera"
        onClick={() => camera.current?.click()}
      />
      <Chooser
        ref={camera}
        label="A picture to attach"
        accept="image/*"
        capture="environment"
        onFiles={onFiles}
      />
    </>
  );
}
