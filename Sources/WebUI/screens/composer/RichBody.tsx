import { forwardRef, useImperativeHandle } from "react";
import type { BodyTools } from "./bodyTools.ts";
import type { Composer } from "./composer.ts";
import { useEditor } from "./useEditor.tsx";

/** The text with its formatting, in an editor. */
export const RichBody = forwardRef<BodyTools, { composer: Composer }>(
  function RichBody({ composer }, ref) {
    const { content } = composer;
    const { place, tools, dialogs } = useEditor(content, content.version, (at) => open(composer, at));
    useImperativeHandle(ref, () => tools);
    return (
      <>
        <div ref={place} className="body-place" />
        {dialogs}
      </>
    );
  },
);

function open(composer: Composer, place: HTMLElement) {
  const { app, content, files } = composer;
  return content.open?.(place, {
    html: content.html ?? "",
    label: "Message",
    changed: () => composer.typed(),
    selected: (state) => {
      content.format.value = state;
    },
    addImage: (file) => files.addImage(file),
    addFiles: (list) => files.add(list),
    imageURL: (cid) => files.imageURL(cid),
    maySimplify: () =>
      app.dialogs.confirm({
        title: "Edit the original message?",
        text:
          "Its layout is made simpler for that, also in what you send. Unedited, it is sent as you received it.",
        confirm: "Edit",
      }),
    leftOut: () => {
      app.toasts.show("Images on web pages were left out. Copy an image by itself to insert it.");
    },
  }) ?? null;
}
