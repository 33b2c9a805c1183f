import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { FORMATTING, type FormattingSubject } from "../../actions/formatting.ts";
import { shortcuts } from "../../actions/offers.ts";
import type { FormatState } from "../../actions/format.ts";
import { Value } from "../../base/observable.ts";
import { name } from "../../base/shortcuts.ts";
import { words } from "../../jmap/errors.ts";
import { useApp } from "../../store/app.ts";
import { Spinner } from "../../ui/states.tsx";
import type { BodyTools } from "./bodyTools.ts";
import type { Editor, OpenEditor } from "./editor/types.ts";
import { loadEditor } from "./loadEditor.ts";
import { Toolbar } from "./Toolbar.tsx";
import { useEditor } from "./useEditor.tsx";

interface RichFieldProps {
  label: string;
  hint?: string;
  html: string;
  /** The text as HTML, after every change; empty if nothing is written. */
  onChange: (html: string) => void;
}

/** A field for formatted text, with the editor of messages. Its images are part of the HTML. */
export function RichField(props: RichFieldProps) {
  const { toasts } = useApp();
  const [open, setOpen] = useState<{ editor: OpenEditor } | null>(null);
  useEffect(() => {
    loadEditor().then(
      ({ openEditor }) => setOpen({ editor: openEditor }),
      (error) => toasts.problem(words(error)),
    );
  }, []);
  return open ? <OpenField {...props} openEditor={open.editor} /> : <Spinner label="Loading the editor" />;
}

function OpenField({ label, hint, html, onChange, openEditor }: RichFieldProps & { openEditor: OpenEditor }) {
  const app = useApp();
  const id = useId();
  const holder = useMemo(
    () => ({ editor: null as Editor | null, format: new Value<FormatState | null>(null) }),
    [],
  );
  const { place, tools, dialogs } = useEditor(holder, null, (at) => openEditor(at, optionsOf()));
  const body = useRef<BodyTools>(tools);
  const images = useRef<HTMLInputElement>(null);
  const subject: FormattingSubject = {
    app,
    targets: [],
    isPlain: false,
    look: holder.format.value,
    format: tools.format,
    link: tools.link,
    insertImage: () => images.current?.click(),
    describeImage: tools.describe,
  };

  function optionsOf() {
    return {
      html,
      label,
      changed: () => onChange(holder.editor && !holder.editor.isEmpty ? holder.editor.html : ""),
      selected: (state: FormatState) => {
        holder.format.value = state;
      },
      addImage: null,
      imageURL: () => null,
      addFiles: () => void app.toasts.show("Only images can be inserted here."),
      maySimplify: () => Promise.resolve(true),
      leftOut: () => void app.toasts.show("Images on web pages were left out."),
    };
  }

  return (
    <div className="field rich-field" onKeyDown={(event) => press(event, subject)}>
      <span id={id} className="rich-label" aria-hidden="true">{label}</span>
      <div className="rich-frame">
        <div ref={place} className="body-place" />
        <Toolbar actions={FORMATTING} {...{ subject, body, images }} format={holder.format} />
      </div>
      {hint && <p className="field-hint">{hint}</p>}
      {dialogs}
    </div>
  );
}

/** The keys of the page do nothing behind a dialog. */
function press(event: KeyboardEvent, subject: FormattingSubject): void {
  const pressed = name(event.nativeEvent);
  const shortcut = shortcuts(FORMATTING, () => subject).find(({ keys }) => keys.includes(pressed));
  if (!shortcut || event.defaultPrevented || shortcut.run(event.nativeEvent) === false) return;
  event.preventDefault();
}
