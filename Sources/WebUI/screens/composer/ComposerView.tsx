import {
  type DragEvent,
  type HTMLAttributes,
  type ReactNode,
  type RefObject,
  useEffect,
  useState,
} from "react";
import { ActionButtons, WordButtons } from "../../actions/ActionButtons.tsx";
import { COMPOSING, type ComposingSubject } from "../../actions/composing.ts";
import { useObservable, useValue } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Banner, FailedState, Spinner } from "../../ui/states.tsx";
import { BodyEditor } from "./BodyEditor.tsx";
import type { Composer } from "./composer.ts";
import { Choosers, FileList } from "./FileList.tsx";
import { RecipientField } from "./RecipientField.tsx";
import { type Field, FIELDS, NAMES } from "./recipients.ts";
import { Replies } from "./Replies.tsx";
import { ReplyNotice } from "./ReplyNotice.tsx";
import { SenderField } from "./SenderField.tsx";
import { Toolbar } from "./Toolbar.tsx";
import { type ComposerExits, type Composing, useComposing } from "./useComposing.ts";

interface ComposerViewProps extends ComposerExits {
  composer: Composer;
  /** More buttons beside “Close”. */
  buttons?: ReactNode;
}

interface PartProps {
  composer: Composer;
  composing: Composing;
}

/** A message being written: its fields, its text, its files. */
export function ComposerView({ composer, buttons, ...exits }: ComposerViewProps) {
  useObservable(composer);
  const composing = useComposing(composer, exits);
  const { frame, subject } = composing;
  const { isDropping, ...dropping } = useDropping(composer, frame);
  const isReady = composer.status === "ready";
  useQuestions(composer);
  useKeeping(composer);
  useFirstFocus(composer, composing);
  // Alone in its window its title is the heading.
  const Title = exits.isAlone ? "h1" : "h2";
  return (
    <div
      ref={frame}
      data-writing
      className={`composer ${isDropping ? "composer-dropping" : ""}`}
      {...dropping}
    >
      <div className="composer-header">
        <Title className="composer-title">{composer.title}</Title>
        <SaveState composer={composer} />
        {buttons}
        <ActionButtons actions={COMPOSING} subject={subject} place="composerHeader" />
      </div>
      {composer.status === "loading" && <Opening composer={composer} />}
      {composer.status === "failed" && (
        <FailedState
          title="The message could not be opened"
          reason={composer.problem ?? ""}
          retry={() => composer.start()}
        />
      )}
      {isReady && <Content composer={composer} composing={composing} />}
      {isReady && composer.content.isRich && <Toolbar composer={composer} composing={composing} />}
      {isReady && <Footer composer={composer} composing={composing} />}
      {isDropping && (
        <div className="drop-hint" aria-hidden="true">
          <Icon name="attach" /> Drop files to attach them
        </div>
      )}
    </div>
  );
}

/** Files that are dropped on the message, or pasted into it, are attached. */
function useDropping(composer: Composer, frame: RefObject<HTMLDivElement>) {
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

/** With recipients filled in, the focus starts in the text. */
function useFirstFocus(composer: Composer, { frame, body }: Composing): void {
  const isReady = composer.status === "ready";
  useEffect(() => {
    if (!isReady) return;
    if (composer.recipients.in.to.length > 0) body.current?.focusStart(composer.early.length);
    else frame.current?.querySelector<HTMLElement>("input[role=combobox]")?.focus();
  }, [isReady]);
}

function Content({ composer, composing: { body } }: PartProps) {
  return (
    <div className="composer-scroll">
      {composer.notSent && (
        <div className="composer-note" role="status">
          <Banner icon="warning" kind="problem">{composer.notSent}</Banner>
        </div>
      )}
      <SenderField composer={composer} />
      <Recipients composer={composer} />
      <ReplyNotice composer={composer} />
      <div className="line">
        <label className="line-label" htmlFor={`subject-${composer.key}`}>Subject</label>
        <input
          id={`subject-${composer.key}`}
          className="line-input"
          value={composer.subject}
          autoComplete="off"
          onChange={(event) => composer.set({ subject: event.currentTarget.value })}
        />
      </div>
      <Replies composer={composer} onChoose={(text) => body.current?.insertReply(text)} />
      <BodyEditor ref={body} composer={composer} />
      <Warnings composer={composer} />
      <FileList composer={composer} />
    </div>
  );
}

function Footer({ composer, composing: { subject, files } }: PartProps) {
  return (
    <div className="composer-footer">
      <SendButton composer={composer} subject={subject} />
      <ActionButtons actions={COMPOSING} subject={subject} place="attach" />
      <Choosers files={files} onFiles={(list) => composer.files.add(list)} />
      <span className="composer-space" />
      <ActionButtons actions={COMPOSING} subject={subject} place="composerFooter" />
    </div>
  );
}

/**
 * Has the focus until the message is loaded: typed characters belong to the message, not to the list's
 * shortcuts.
 */
function Opening({ composer }: { composer: Composer }) {
  return (
    <div className="composer-waits">
      <Spinner label="Opening your message" />
      <input
        className="hidden"
        aria-label="Your message is being opened"
        autoComplete="off"
        autoFocus
        onChange={(event) => {
          composer.early = event.currentTarget.value;
        }}
      />
    </div>
  );
}

function SendButton({ composer, subject }: { composer: Composer; subject: ComposingSubject }) {
  const { obstacle } = composer;
  const id = `obstacle-${composer.key}`;
  return (
    <>
      <WordButtons
        actions={COMPOSING}
        subject={subject}
        place="send"
        kind="primary"
        disabled={obstacle !== null || composer.isSending}
        aria-describedby={obstacle ? id : undefined}
        {...(obstacle && { title: obstacle })}
      />
      {obstacle && <span id={id} className="hidden">{obstacle}</span>}
    </>
  );
}

function Recipients({ composer }: { composer: Composer }) {
  const [open, setOpen] = useState<Field[]>([]);
  const visible = FIELDS.filter((field) =>
    field === "to" || open.includes(field) || composer.recipients.in[field].length > 0
  );
  const rest = FIELDS.filter((field) => !visible.includes(field));
  return (
    <>
      {visible.map((field) => (
        <RecipientField key={field} composer={composer} field={field} takesFocus={open.includes(field)}>
          {field === "to" && rest.map((other) => (
            <button
              key={other}
              type="button"
              className="line-more"
              aria-label={`Add ${NAMES[other]}`}
              onClick={() => setOpen([...open, other])}
            >
              {NAMES[other]}
            </button>
          ))}
        </RecipientField>
      ))}
    </>
  );
}

function SaveState({ composer }: { composer: Composer }) {
  const text = { none: "", saving: "Saving…", saved: "Saved", failed: "Not saved" }[composer.saving];
  return (
    <span
      role="status"
      className={`save-state ${composer.saving === "failed" ? "save-failed" : ""}`}
      title={composer.saveProblem ?? undefined}
    >
      {composer.saving === "failed" && <Icon name="warning" />}
      {composer.saving === "saved" && composer.isDirty ? "" : text}
    </span>
  );
}

const SAID = new Set(["imitatingAddress", "bodyLarge", "attachmentsLarge", "attachmentsTooLarge"]);
const MOST_SAID = 5;

function Warnings({ composer }: { composer: Composer }) {
  const isStoreResponding = useValue(useApp().isStoreResponding);
  const said = composer.problems.filter((problem) => SAID.has(problem.kind)).slice(0, MOST_SAID);
  return (
    <div role="status" className="composer-warnings">
      {said.map(({ kind, value, text }) => (
        <Banner key={`${kind} ${value}`} icon="warning" kind="problem">{text}</Banner>
      ))}
      {composer.saving === "failed" && (
        <Banner icon="warning" kind="problem">
          {isStoreResponding
            ? (
              <>
                The draft could not be saved. {composer.saveProblem}{" "}
                You can keep writing; mailkernel will try again.
              </>
            )
            : <>Your text stays in this window, and is saved when the store responds again.</>}
        </Banner>
      )}
    </div>
  );
}

/** Asks what to do when the draft was changed elsewhere. */
function useQuestions(composer: Composer): void {
  const app = useApp();
  useEffect(() => {
    if (!composer.hasConflict) return;
    app.dialogs.confirm({
      title: "This draft was updated on another device. Reload?",
      confirm: "Reload",
      cancel: "Keep Local",
    }).then((isReload) => composer.settle(isReload ? "reload" : "keep"));
  }, [composer, composer.hasConflict]);
}

/** Saves the draft when the window is hidden. */
function useKeeping(composer: Composer): void {
  useEffect(() => {
    const hidden = () => {
      if (document.visibilityState === "hidden") composer.save();
    };
    document.addEventListener("visibilitychange", hidden);
    return () => document.removeEventListener("visibilitychange", hidden);
  }, [composer]);
}
