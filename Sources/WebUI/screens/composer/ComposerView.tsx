import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Sent } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { shown, useShortcuts } from "../../base/shortcuts.ts";
import { Banner, FailedState, Spinner } from "../../ui/states.tsx";
import { BodyEditor, type BodyTools } from "./BodyEditor.tsx";
import type { Composer } from "./composer.ts";
import { AttachButtons, FileList } from "./FileList.tsx";
import { RecipientField } from "./RecipientField.tsx";
import { type Field, FIELDS, NAMES } from "./recipients.ts";
import { Replies } from "./Replies.tsx";
import { ReplyNotice } from "./ReplyNotice.tsx";
import { SenderField } from "./SenderField.tsx";

interface ComposerViewProps {
  composer: Composer;
  onSent: (sent: Sent) => void;
  onLeave: () => void;
  /** More buttons beside “Close”. */
  buttons?: ReactNode;
  /** It fills its window, so its title is the heading. */
  isAlone?: boolean;
}

/** A message being written: its fields, its text, its files. */
export function ComposerView({ composer, onSent, onLeave, buttons, isAlone }: ComposerViewProps) {
  const app = useApp();
  useObservable(composer);
  const frame = useRef<HTMLDivElement>(null);
  const body = useRef<BodyTools>(null);
  const files = useRef<HTMLInputElement>(null);
  const [isDropping, setDropping] = useState(false);
  const isReady = composer.status === "ready";
  useQuestions(composer);
  useKeeping(composer);
  useEffect(() => {
    if (!isReady) return;
    if (composer.recipients.in.to.length > 0) body.current?.focusStart(composer.early.length);
    else frame.current?.querySelector<HTMLElement>("input[role=combobox]")?.focus();
  }, [isReady]);

  async function send() {
    const { obstacle } = composer;
    if (obstacle) return app.toasts.problem(obstacle);
    if (!composer.subject.trim() && !await ask("Send without subject?")) return;
    if (!composer.body.trim() && !await ask("Send empty message?")) return;
    const sent = await composer.send();
    if (sent) onSent(sent);
  }
  function ask(title: string): Promise<boolean> {
    return app.dialogs.confirm({ title, confirm: "Send", cancel: "Keep Editing" });
  }
  async function discard() {
    const isSure = composer.isEmpty || await app.dialogs.confirm({
      title: "Delete draft?",
      confirm: "Delete",
      cancel: "Keep Editing",
      isDestructive: true,
    });
    if (!isSure) return;
    try {
      await composer.discard();
      if (isAlone) onLeave();
    } catch (error) {
      app.toasts.problem(words(error));
    }
  }

  /** Keys belong to the message that has the focus. */
  const mine = (run: () => void) => (): void | false => {
    if (!isAlone && !frame.current?.contains(document.activeElement)) return false;
    run();
  };
  useShortcuts(app.shortcuts, "Writing", [
    { keys: ["Mod+Enter", "Mod+Shift+D"], does: "Send", whileWriting: true, run: mine(send) },
    { keys: ["Mod+S"], does: "Save the draft", whileWriting: true, run: mine(() => composer.save()) },
    {
      keys: ["Mod+Shift+A"],
      does: "Attach files",
      whileWriting: true,
      run: mine(() => files.current?.click()),
    },
    { keys: ["Mod+B"], does: "Bold", whileWriting: true, run: mine(() => body.current?.bold()) },
    { keys: ["Mod+I"], does: "Italic", whileWriting: true, run: mine(() => body.current?.italic()) },
    { keys: ["Mod+K"], does: "Link", whileWriting: true, run: mine(() => body.current?.link()) },
    { keys: ["Escape", "Mod+W"], does: "Close; the draft is kept", whileWriting: true, run: mine(onLeave) },
  ], isReady);

  const Title = isAlone ? "h1" : "h2";
  return (
    <div
      ref={frame}
      data-writing
      className={`composer ${isDropping ? "composer-dropping" : ""}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={(event) => {
        if (!frame.current?.contains(event.relatedTarget as Node)) setDropping(false);
      }}
      onDrop={(event) => {
        setDropping(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        composer.files.add(event.dataTransfer.files);
      }}
      onPaste={(event) => {
        if (event.clipboardData.files.length === 0) return;
        event.preventDefault();
        composer.files.add(event.clipboardData.files);
      }}
    >
      <div className="composer-header">
        <Title className="composer-title">{composer.title}</Title>
        <SaveState composer={composer} />
        {buttons}
        <IconButton icon="close" label="Close" hint={shown("Escape")} onClick={onLeave} />
      </div>
      {composer.status === "loading" && <Opening composer={composer} />}
      {composer.status === "failed" && (
        <FailedState
          title="Your message cannot be opened"
          reason={composer.problem ?? ""}
          retry={() => composer.start()}
        />
      )}
      {isReady && (
        <>
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
          <div className="composer-footer">
            <SendButton composer={composer} onSend={send} />
            <AttachButtons ref={files} onFiles={(list) => composer.files.add(list)} />
            <span className="composer-marks" role="group" aria-label="Formatting">
              <IconButton
                icon="bold"
                label="Bold"
                hint={shown("Mod+B")}
                onClick={() => body.current?.bold()}
              />
              <IconButton
                icon="italic"
                label="Italic"
                hint={shown("Mod+I")}
                onClick={() => body.current?.italic()}
              />
              <IconButton
                icon="link"
                label="Link"
                hint={shown("Mod+K")}
                onClick={() => body.current?.link()}
              />
            </span>
            <span className="composer-space" />
            <IconButton icon="trash" label="Delete draft" onClick={discard} />
          </div>
        </>
      )}
      {isDropping && (
        <div className="drop-hint" aria-hidden="true">
          <Icon name="attach" /> Drop files to attach them
        </div>
      )}
    </div>
  );
}

/** Has the focus until the message is there: what is typed meanwhile is the message's, and no key of the list. */
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

function SendButton({ composer, onSend }: { composer: Composer; onSend: () => void }) {
  const { obstacle } = composer;
  const id = `obstacle-${composer.key}`;
  return (
    <>
      <Button
        kind="primary"
        icon="send"
        disabled={obstacle !== null || composer.isSending}
        aria-describedby={obstacle ? id : undefined}
        title={obstacle ?? shown("Mod+Enter")}
        onClick={onSend}
      >
        Send
      </Button>
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

const SAID = new Set(["bodyLarge", "attachmentsLarge", "attachmentsTooLarge"]);

function Warnings({ composer }: { composer: Composer }) {
  const said = composer.problems.filter((problem) => SAID.has(problem.kind));
  return (
    <div role="status" className="composer-warnings">
      {said.map((problem) => <Banner key={problem.kind} icon="warning" kind="problem">{problem.text}
      </Banner>)}
      {composer.saving === "failed" && (
        <Banner icon="warning" kind="problem">
          The draft could not be saved. {composer.saveProblem} You can go on writing; it is tried again.
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

/** What is written is kept when the window is left for another. */
function useKeeping(composer: Composer): void {
  useEffect(() => {
    const hidden = () => {
      if (document.visibilityState === "hidden") composer.save();
    };
    document.addEventListener("visibilitychange", hidden);
    return () => document.removeEventListener("visibilitychange", hidden);
  }, [composer]);
}
