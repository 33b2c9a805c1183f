import { forwardRef, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import type { Composer } from "./composer.ts";

export interface BodyTools {
  /** Puts the caret at the beginning, or after so many characters of it. */
  focusStart(after: number): void;
  bold(): void;
  italic(): void;
  link(): void;
  /** Puts a suggested answer above what is quoted. */
  insertReply(text: string): void;
}

/** The text: plain, with marks for bold, italic and links that buttons write. */
export const BodyEditor = forwardRef<BodyTools, { composer: Composer }>(
  function BodyEditor({ composer }, ref) {
    const area = useRef<HTMLTextAreaElement>(null);
    const [link, setLink] = useState<{ start: number; end: number } | null>(null);

    useLayoutEffect(() => {
      const { current } = area;
      if (!current) return;
      // As tall as its text, so that the whole message scrolls as one.
      current.style.flexGrow = "0";
      current.style.height = "0";
      current.style.height = `${current.scrollHeight + 2}px`;
      current.style.flexGrow = "";
    }, [composer.body]);

    function replace(start: number, end: number, text: string): void {
      const { current } = area;
      if (!current) return;
      current.focus();
      current.setSelectionRange(start, end);
      // The only way that leaves “undo” working.
      if (!document.execCommand("insertText", false, text)) {
        current.setRangeText(text, start, end, "end");
        composer.set({ body: current.value });
      }
    }

    /** Around what is selected, or taken away from there. */
    function mark(sign: string): void {
      const { current } = area;
      if (!current) return;
      const { value } = current;
      let [start, end] = [current.selectionStart, current.selectionEnd];
      while (start < end && /\s/.test(value.charAt(start))) start += 1;
      while (end > start && /\s/.test(value.charAt(end - 1))) end -= 1;
      const isMarked = value.slice(start - sign.length, start) === sign && value.startsWith(sign, end) &&
        (sign !== "*" || value.charAt(start - 2) !== "*");
      const chosen = value.slice(start, end);
      if (isMarked) {
        replace(start - sign.length, end + sign.length, chosen);
        current.setSelectionRange(start - sign.length, end - sign.length);
      } else {
        replace(start, end, sign + chosen + sign);
        current.setSelectionRange(start + sign.length, end + sign.length);
      }
    }

    useImperativeHandle(ref, () => ({
      focusStart(after) {
        area.current?.focus();
        area.current?.setSelectionRange(after, after);
      },
      bold: () => mark("**"),
      italic: () => mark("*"),
      link() {
        const { current } = area;
        if (current) setLink({ start: current.selectionStart, end: current.selectionEnd });
      },
      insertReply(text) {
        const rest = composer.body.replace(/^\s+/, "");
        replace(0, composer.body.length - rest.length, rest ? `${text}\n\n` : text);
        area.current?.setSelectionRange(text.length, text.length);
      },
    }));

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
              requestAnimationFrame(() => replace(link.start, link.end, `[${text}](${url})`));
            }}
          />
        )}
      </>
    );
  },
);

interface LinkDialogProps {
  text: string;
  onClose: () => void;
  onLink: (text: string, url: string) => void;
}

function LinkDialog({ text, onClose, onLink }: LinkDialogProps) {
  const isAddress = /^https?:\/\/\S+$/.test(text);
  const [label, setLabel] = useState(isAddress ? "" : text);
  const [url, setUrl] = useState(isAddress ? text : "");
  const [problem, setProblem] = useState<string | null>(null);
  function done() {
    const address = /^[a-z][a-z0-9+.-]*:/i.test(url.trim()) ? url.trim() : `https://${url.trim()}`;
    if (!/^(https?:\/\/[^\s/.]|mailto:[^\s@]+@)\S*$/i.test(address)) {
      return setProblem("This is not the address of a page, such as https://example.com.");
    }
    // Brackets would end the link too early.
    onLink(
      (label.trim() || url.trim()).replace(/[[\]]/g, ""),
      address.replace(/\(/g, "%28").replace(/\)/g, "%29"),
    );
  }
  return (
    <Dialog
      title="Link"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="link">Insert link</Button>
        </>
      }
    >
      <form
        id="link"
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        <TextField
          label="Address"
          inputMode="url"
          data-autofocus
          autoComplete="off"
          value={url}
          problem={problem}
          onChange={setUrl}
        />
        <TextField
          label="Text"
          hint="What is read in place of the address."
          value={label}
          onChange={setLabel}
        />
      </form>
    </Dialog>
  );
}
