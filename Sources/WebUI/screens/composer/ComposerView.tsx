import { type HTMLAttributes, type ReactNode, type RefObject, useEffect, useLayoutEffect } from "react";
import { ActionButtons, WordButtons } from "../../actions/ActionButtons.tsx";
import { COMPOSING, type ComposingSubject } from "../../actions/composing.ts";
import { useObservable } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Banner, FailedState } from "../../ui/states.tsx";
import { RemindDialog } from "../when/RemindDialog.tsx";
import { SendLaterDialog } from "../when/SendLaterDialog.tsx";
import { BodyEditor } from "./BodyEditor.tsx";
import type { Composer } from "./composer.ts";
import { Choosers, FileList } from "./FileList.tsx";
import { Opening } from "./Opening.tsx";
import { Recipients } from "./Recipients.tsx";
import { RemindLine } from "./RemindLine.tsx";
import { Replies } from "./Replies.tsx";
import { ReplyNotice } from "./ReplyNotice.tsx";
import { SenderField } from "./SenderField.tsx";
import { SaveState, Warnings } from "./States.tsx";
import { TemplateMenu } from "./TemplateMenu.tsx";
import { insertInto } from "./templates.ts";
import { Toolbar } from "./Toolbar.tsx";
import { type ComposerExits, type Composing, useComposing } from "./useComposing.ts";
import { useDropping } from "./useDropping.ts";

interface ComposerViewProps extends ComposerExits {
  composer: Composer;
  /** More buttons beside “Close”. */
  buttons?: ReactNode;
  /** What a pointer does with the header. */
  header?: HTMLAttributes<HTMLElement>;
}

interface PartProps {
  composer: Composer;
  composing: Composing;
}

/** A message being written: its fields, its text, its files. */
export function ComposerView({ composer, buttons, header, ...exits }: ComposerViewProps) {
  useObservable(composer);
  const composing = useComposing(composer, exits);
  const { frame, subject } = composing;
  const { isDropping, ...dropping } = useDropping(composer, frame);
  const isReady = composer.status === "ready";
  useQuestions(composer);
  useKeeping(composer);
  useLeaving(composer, frame);
  useFirstFocus(composer, composing);
  useTemplate(composer, isReady);
  // Alone in its window its title is the heading.
  const Title = exits.isAlone ? "h1" : "h2";
  return (
    <div
      ref={frame}
      data-writing
      className={`composer ${isDropping ? "composer-dropping" : ""}`}
      {...dropping}
    >
      <div className="composer-header" {...header}>
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
      {isReady && (
        <div className="composer-tools">
          {composer.content.isRich && (
            <Toolbar {...composing} actions={COMPOSING} format={composer.content.format} />
          )}
          <Footer composer={composer} composing={composing} />
        </div>
      )}
      {composing.later && (
        <SendLaterDialog
          accountId={composer.accountId}
          isHere={composing.later.isHere}
          onChoose={composing.later.send}
          onClose={composing.later.close}
        />
      )}
      {composing.reminding && (
        <RemindDialog onChoose={composing.reminding.choose} onClose={composing.reminding.close} />
      )}
      {isDropping && (
        <div className="drop-hint" aria-hidden="true">
          <Icon name="attach" /> Drop files to attach them
        </div>
      )}
    </div>
  );
}

/** The template that the message was to begin with. */
function useTemplate(composer: Composer, isReady: boolean): void {
  useEffect(() => {
    const { templateId } = composer.writing;
    if (!isReady || !templateId || composer.draftId || composer.isDirty) return;
    insertInto(composer, templateId);
  }, [isReady]);
}

/** With recipients filled in, the focus starts in the text. */
function useFirstFocus(composer: Composer, { frame, body }: Composing): void {
  const isReady = composer.status === "ready";
  useEffect(() => {
    if (!isReady) return;
    if (composer.recipients.in.to.length > 0) body.current?.focusStart(composer.early.length);
    else frame.current?.querySelector<HTMLElement>("input[role=combobox]")?.focus();
  }, [isReady, composer.calls]);
}

function Content({ composer, composing: { body, subject } }: PartProps) {
  return (
    <div className="composer-scroll">
      {composer.notSent && (
        <div className="composer-note" role="status">
          <Banner icon="warning" kind="problem">{composer.notSent}</Banner>
        </div>
      )}
      {[...composer.notes.values()].map((note) => (
        <div key={note} className="composer-note" role="status">
          <Banner icon="info">{note}</Banner>
        </div>
      ))}
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
      <RemindLine composer={composer} onChange={subject.remind} />
      <Warnings composer={composer} />
      <FileList composer={composer} />
    </div>
  );
}

function Footer({ composer, composing: { subject, body, files } }: PartProps) {
  return (
    <div className="composer-footer">
      <SendButton composer={composer} subject={subject} />
      {!composer.obstacle && !composer.isSending && (
        <ActionButtons actions={COMPOSING} subject={subject} place="sendMore" />
      )}
      <ActionButtons actions={COMPOSING} subject={subject} place="attach" />
      <Choosers files={files} onFiles={(list) => composer.files.add(list)} />
      <TemplateMenu composer={composer} subject={subject} body={body} />
      <span className="composer-space" />
      <ActionButtons actions={COMPOSING} subject={subject} place="composerFooter" />
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

/** Asks what to do when the draft was changed elsewhere. */
function useQuestions(composer: Composer): void {
  const app = useApp();
  useEffect(() => {
    if (!composer.elsewhere.hasConflict) return;
    app.dialogs.confirm({
      title: "This draft was updated on another device. Reload?",
      confirm: "Reload",
      cancel: "Keep Local",
    }).then((isReload) => composer.elsewhere.settle(isReload ? "reload" : "keep"));
  }, [composer, composer.elsewhere.hasConflict]);
}

/** While it is saved for the last time, keys are for what is behind it already. */
function useLeaving(composer: Composer, frame: RefObject<HTMLElement>): void {
  const { isLeaving } = composer;
  useLayoutEffect(() => {
    const [element, focused] = [frame.current, document.activeElement];
    if (!isLeaving || !element) return;
    const isInside = focused instanceof HTMLElement && element.contains(focused);
    if (isInside) focused.blur();
    element.inert = true;
    return () => {
      element.inert = false;
      // It could not be saved.
      if (isInside && composer.isReady && document.activeElement === document.body) focused.focus();
    };
  }, [composer, isLeaving]);
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
