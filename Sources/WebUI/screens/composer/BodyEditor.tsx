import { forwardRef, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { Composer } from "./composer.ts";
import { LinkDialog } from "./LinkDialog.tsx";
import { mark, replace } from "./marks.ts";

export interface BodyTools {
  /** Puts the caret at the beginning, or after so many characters of it. */
  focusStart(after: number): void;
  bold(): void;
  italic(): void;
  link(): void;
  /** Inserts a suggested reply above the quote. */
  insertReply(text: string): void;
}

/** The text: plain, with marks for bold, italic and links that buttons write. */
export const BodyEditor = forwardRef<BodyTools, { composer: Composer }>(
  function BodyEditor({ composer }, ref) {
    const area = useRef<HTMLTextAreaElement>(null);
    const [link, setLink] = useState<{ start: number; end: number } | null>(null);
    useLayoutEffect(() => {
      if (area.current) grow(area.current);
    }, [composer.body]);
    useImperativeHandle(ref, () => toolsOf(area.current, composer, setLink));
    return (
      <>
        <textarea
          ref={area}
          className="body"
          aria-label="Message"
          value={composer.body}
          rows={8}
          onChange={(event) => composer.set({ body: event.currentTarget.value })}
        />
        {link && (
          <LinkDialog
            text={composer.body.slice(link.start, link.end)}
            onClose={() => setLink(null)}
            onLink={(text, url) => {
              setLink(null);
              requestAnimationFrame(() =>
                area.current && replace(area.current, link, `[${text}](${url})`, composer)
              );
            }}
          />
        )}
      </>
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
    bold: () => area && mark(area, "**", composer),
    italic: () => area && mark(area, "*", composer),
    link: () => area && onLink({ start: area.selectionStart, end: area.selectionEnd }),
    insertReply(text) {
      if (!area) return;
      const { body } = composer;
      const rest = body.replace(/^\s+/, "");
      replace(area, { start: 0, end: body.length - rest.length }, rest ? `${text}\n\n` : text, composer);
      area.setSelectionRange(text.length, text.length);
    },
  };
}
