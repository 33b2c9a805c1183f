import { forwardRef, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { BodyTools } from "./bodyTools.ts";
import type { Composer } from "./composer.ts";
import { LinkDialog } from "./LinkDialog.tsx";
import { mark, replace } from "./marks.ts";
import { RichBody } from "./RichBody.tsx";

/** The text: formatted in an editor, or plain. */
export const BodyEditor = forwardRef<BodyTools, { composer: Composer }>(
  function BodyEditor({ composer }, ref) {
    return composer.content.isRich
      ? <RichBody ref={ref} composer={composer} />
      : <PlainBody ref={ref} composer={composer} />;
  },
);

/** Plain text; for a program that knows nothing else, with marks for bold, italic and links. */
const PlainBody = forwardRef<BodyTools, { composer: Composer }>(
  function PlainBody({ composer }, ref) {
    const area = useRef<HTMLTextAreaElement>(null);
    const [link, setLink] = useState<{ start: number; end: number } | null>(null);
    const { body } = composer.content;
    useLayoutEffect(() => {
      if (area.current) grow(area.current);
    }, [body]);
    useImperativeHandle(ref, () => toolsOf(area.current, composer, setLink));
    return (
      <>
        <textarea
          ref={area}
          className="body"
          aria-label="Message"
          value={body}
          rows={8}
          onChange={(event) => composer.write(event.currentTarget.value)}
        />
        {link && (
          <LinkDialog
            text={body.slice(link.start, link.end)}
            url=""
            onClose={() => setLink(null)}
            onLink={(text, url) => {
              setLink(null);
              requestAnimationFrame(() =>
                area.current && replace(area.current, link, markdown(text, url), composer)
              );
            }}
          />
        )}
      </>
    );
  },
);

/** Brackets would end the link too early. */
function markdown(text: string, url: string): string {
  return `[${text.replace(/[[\]]/g, "")}](${url.replace(/\(/g, "%28").replace(/\)/g, "%29")})`;
}

/** As tall as its text, so that the whole message scrolls together. */
function grow(area: HTMLTextAreaElement): void {
  area.style.flexGrow = "0";
  area.style.height = "0";
  area.style.height = `${area.scrollHeight + 2}px`;
  area.style.flexGrow = "";
}

type Selection = { start: number; end: number };

function toolsOf(
  area: HTMLTextAreaElement | null,
  composer: Composer,
  onLink: (selection: Selection) => void,
): BodyTools {
  return {
    focusStart(after) {
      area?.focus();
      area?.setSelectionRange(after, after);
    },
    focus: () => area?.focus(),
    format(what) {
      if (area && what === "bold") mark(area, "**", composer);
      if (area && what === "italic") mark(area, "*", composer);
    },
    look: () => {},
    link: () => area && onLink({ start: area.selectionStart, end: area.selectionEnd }),
    describe: () => {},
    insertImages: (files) => composer.files.add(files),
    insertReply(text) {
      if (!area) return;
      const { body } = composer.content;
      const rest = body.replace(/^\s+/, "");
      replace(area, { start: 0, end: body.length - rest.length }, rest ? `${text}\n\n` : text, composer);
      area.setSelectionRange(text.length, text.length);
    },
  };
}
