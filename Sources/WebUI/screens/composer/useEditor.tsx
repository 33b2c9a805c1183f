import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { FormatState } from "../../actions/format.ts";
import type { Value } from "../../base/observable.ts";
import type { BodyTools } from "./bodyTools.ts";
import type { Editor } from "./editor/types.ts";
import { ImageDialog } from "./ImageDialog.tsx";
import { LinkDialog } from "./LinkDialog.tsx";
import "./editor.css";

/** What an editor belongs to. */
interface Holder {
  editor: Editor | null;
  readonly format: Value<FormatState | null>;
}

interface EditorParts {
  place: RefObject<HTMLDivElement>;
  tools: BodyTools;
  dialogs: ReactNode;
}

/** An editor in an element, as long as the component is shown or until `version` changes. */
export function useEditor(
  holder: Holder,
  version: unknown,
  open: (place: HTMLElement) => Editor | null,
): EditorParts {
  const place = useRef<HTMLDivElement>(null);
  const [asks, setAsks] = useState<"link" | "image" | null>(null);
  useLayoutEffect(() => {
    if (!place.current) return;
    const editor = open(place.current);
    holder.editor = editor;
    return () => {
      holder.editor = null;
      editor?.destroy();
    };
  }, [holder, version]);
  const close = () => {
    setAsks(null);
    requestAnimationFrame(() => holder.editor?.focus());
  };
  const link = asks === "link" ? holder.editor?.link() : undefined;
  const dialogs = (
    <>
      {link && (
        <LinkDialog
          {...link}
          onClose={close}
          onLink={(text, url) => {
            holder.editor?.setLink(text, url);
            close();
          }}
        />
      )}
      {asks === "image" && (
        <ImageDialog
          description={holder.format.value?.image ?? ""}
          onClose={close}
          onDone={(alt) => {
            holder.editor?.describe(alt);
            close();
          }}
        />
      )}
    </>
  );
  return { place, tools: toolsOf(holder, setAsks), dialogs };
}

function toolsOf(holder: Holder, ask: (what: "link" | "image") => void): BodyTools {
  return {
    focusStart: (after) => holder.editor?.focusStart(after),
    focus: () => holder.editor?.focus(),
    format: (what) => holder.editor?.format(what),
    look: (what, value) => holder.editor?.look(what, value),
    link: () => ask("link"),
    describe: () => ask("image"),
    insertImages: (files) => holder.editor?.insertImages(files),
    insertHTML: (html) => holder.editor?.insertHTML(html),
    insertReply: (text) => holder.editor?.insertAtStart(text),
  };
}
