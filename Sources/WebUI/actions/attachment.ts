import type { Action, Subject } from "./action.ts";

/** A file that came with a message. */
export interface AttachmentSubject extends Subject {
  /** Shows it; null where it cannot be shown. */
  preview: (() => void) | null;
  save: () => void;
}

/** Everything that can be done with an attachment. */
export const ATTACHMENT: Action<AttachmentSubject>[] = [
  {
    id: "previewFile",
    label: "Preview attachment",
    icon: "image",
    places: ["attachmentMenu"],
    applies: ({ preview }) => preview !== null,
    run: ({ preview }) => preview?.(),
  },
  {
    id: "saveFile",
    label: "Save attachment",
    icon: "download",
    places: ["attachmentMenu"],
    run: ({ save }) => save(),
  },
];
