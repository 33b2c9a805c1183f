import { forwardRef, useImperativeHandle, useLayoutEffect, useRef } from "react";
import type { BodyTools } from "./bodyTools.ts";
import type { Composer } from "./composer.ts";
import { loadEditor } from "./loadEditor.ts";
import { RichBody } from "./RichBody.tsx";

/** The text: formatted in an editor, or plain. */
export const BodyEditor = forwardRef<BodyTools, { composer: Composer }>(
  function BodyEditor({ composer }, ref) {
    return composer.content.isRich
      ? <RichBody ref={ref} composer={composer} />
      : <PlainBody ref={ref} composer={composer} />;
  },
);

const PlainBody = forwardRef<BodyTools, { composer: Composer }>(
  function PlainBody({ composer }, ref) {
    const area = useRef<HTMLTextAreaElement>(null);
    const { body } = composer.content;
    useLayoutEffect(() => {
      if (area.current) grow(area.current);
    }, [body]);
    useImperativeHandle(ref, () => toolsOf(area.current, composer));
    return (
      <textarea
        ref={area}
        className="body"
        aria-label="Message"
        value={body}
        rows={8}
        onChange={(event) => composer.write(event.currentTarget.value)}
      />
    );
  },
);

/** As tall as its text, so that the whole message scrolls together. */
function grow(area: HTMLTextAreaElement): void {
  area.style.flexGrow = "0";
  area.style.height = "0";
  area.style.height = `${area.scrollHeight + 2}px`;
  area.style.flexGrow = "";
}

/** Plain text has no formatting. */
function toolsOf(area: HTMLTextAreaElement | null, composer: Composer): BodyTools {
  return {
    focusStart(after) {
      area?.focus();
      area?.setSelectionRange(after, after);
    },
    focus: () => area?.focus(),
    format: () => {},
    look: () => {},
    link: () => {},
    describe: () => {},
    insertImages: (files) => composer.files.add(files),
    insertHTML: (html) => {
      // The words alone are inserted where the caret is.
      loadEditor().then(({ textOf }) => {
        if (!area) return;
        const { selectionStart: start, selectionEnd: end } = area;
        replace(area, { start, end }, textOf(html), composer);
      }, () => {});
    },
    insertReply(text) {
      if (!area) return;
      const { body } = composer.content;
      const rest = body.replace(/^\s+/, "");
      replace(area, { start: 0, end: body.length - rest.length }, rest ? `${text}\n\n` : text, composer);
      area.setSelectionRange(text.length, text.length);
    },
  };
}

function replace(
  area: HTMLTextAreaElement,
  { start, end }: { start: number; end: number },
  text: string,
  composer: Composer,
): void {
  area.focus();
  area.setSelectionRange(start, end);
  // The only way that leaves “undo” working.
  if (document.execCommand("insertText", false, text)) return;
  area.setRangeText(text, start, end, "end");
  composer.write(area.value);
}
