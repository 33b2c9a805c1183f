import { forwardRef, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { BodyTools } from "./bodyTools.ts";
import type { Composer } from "./composer.ts";
import { ImageDialog } from "./ImageDialog.tsx";
import { LinkDialog } from "./LinkDialog.tsx";
import "./editor.css";

/** The text with its formatting, in an editor. */
export const RichBody = forwardRef<BodyTools, { composer: Composer }>(
  function RichBody({ composer }, ref) {
    const place = useRef<HTMLDivElement>(null);
    const [asks, setAsks] = useState<"link" | "image" | null>(null);
    const { content } = composer;
    useLayoutEffect(() => {
      if (!place.current) return;
      const editor = open(composer, place.current);
      content.editor = editor;
      return () => {
        content.editor = null;
        editor?.destroy();
      };
    }, [composer, content.version]);
    useImperativeHandle(ref, () => toolsOf(composer, setAsks));
    const close = () => {
      setAsks(null);
      requestAnimationFrame(() => content.editor?.focus());
    };
    const link = asks === "link" ? content.editor?.link() : undefined;
    return (
      <>
        <div ref={place} className="body-place" />
        {link && (
          <LinkDialog
            {...link}
            onClose={close}
            onLink={(text, url) => {
              content.editor?.setLink(text, url);
              close();
            }}
          />
        )}
        {asks === "image" && (
          <ImageDialog
            description={content.format.value?.image ?? ""}
            onClose={close}
            onDone={(alt) => {
              content.editor?.describe(alt);
              close();
            }}
          />
        )}
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
    leftOut: () => {
      app.toasts.show("Images on web pages were left out. Copy an image by itself to insert it.");
    },
  }) ?? null;
}

function toolsOf({ content }: Composer, ask: (what: "link" | "image") => void): BodyTools {
  return {
    focusStart: (after) => content.editor?.focusStart(after),
    focus: () => content.editor?.focus(),
    format: (what) => content.editor?.format(what),
    look: (what, value) => content.editor?.look(what, value),
    link: () => ask("link"),
    describe: () => ask("image"),
    insertImages: (files) => content.editor?.insertImages(files),
    insertReply: (text) => content.editor?.insertAtStart(text),
  };
}
