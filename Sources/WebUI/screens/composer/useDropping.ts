import { type DragEvent, type HTMLAttributes, type RefObject, useState } from "react";
import type { Composer } from "./composer.ts";

/** Files that are dropped on the message, or pasted into it, are attached. */
export function useDropping(composer: Composer, frame: RefObject<HTMLDivElement>) {
  const [isDropping, setDropping] = useState(false);
  const add = (event: { preventDefault: () => void; defaultPrevented: boolean }, { files }: DataTransfer) => {
    // The editor has taken images already.
    if (files.length === 0 || event.defaultPrevented) return;
    event.preventDefault();
    composer.files.add(files);
  };
  const handlers: Pick<HTMLAttributes<HTMLElement>, "onDragOver" | "onDragLeave" | "onDrop" | "onPaste"> = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setDropping(true);
    },
    onDragLeave: (event) => {
      if (!frame.current?.contains(event.relatedTarget as Node)) setDropping(false);
    },
    onDrop: (event) => {
      setDropping(false);
      add(event, event.dataTransfer);
    },
    onPaste: (event) => add(event, event.clipboardData),
  };
  return { isDropping, ...handlers };
}
