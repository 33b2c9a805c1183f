import { useState } from "react";
import { downloadURL } from "../../jmap/blobs.ts";
import { MailFrame } from "../../mail/MailFrame.tsx";
import type { Email, Id } from "../../jmap/types.ts";
import type { EmailView, SearchMark } from "../../jmap/vendor.ts";
import { type App, useApp } from "../../store/app.ts";
import { useThemeChoice } from "../../store/themeChoice.ts";
import type { OpenMessage } from "../../store/bodies.ts";
import type { Conversation } from "../../store/conversation.ts";
import { besideCalendar } from "../../store/invitations.ts";
import { useReading } from "../../store/searchWords.ts";
import { size, subjectOf } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { useMeasures } from "../../ui/layout.ts";
import { Banner, Spinner } from "../../ui/states.tsx";
import { useIsDark } from "../../ui/theme.ts";
import { openComposer } from "../composer/open.tsx";
import { Attachments } from "./Attachments.tsx";
import { Privacy } from "./Privacy.tsx";
import { searchedFor } from "./messageLink.ts";
import { save } from "./save.ts";

const NONE: Record<string, string> = {};
const NO_MARKS: SearchMark[] = [];

interface BodyProps {
  conversation: Conversation;
  /** Undefined while it is loading; the frame is prepared meanwhile. */
  message: OpenMessage | undefined;
  name: string;
  /** The part that is shown as an invitation. */
  calendar: Id | null;
  onLink: (link: string | null) => void;
}

/** The text of a message, its blocked content, and its attachments. */
export function Body({ conversation, message, name, calendar, onLink }: BodyProps) {
  const { email, view } = message ?? {};
  const [failedCount, setFailedCount] = useState(0);
  return (
    <>
      {view && (
        <Privacy
          conversation={conversation}
          view={view}
          sender={email?.from?.[0]?.email ?? null}
          failedCount={view.pendingImageCount > 0 ? 0 : failedCount}
        />
      )}
      {!message && (
        <div className="message-loading">
          <Spinner label="Opening the message" />
        </div>
      )}
      {!message || view?.html
        ? (
          <Letter
            accountId={conversation.accountId}
            isOriginal={conversation.isOriginal}
            view={view ?? null}
            isSought={email?.id === conversation.first}
            name={name}
            onFailedImages={setFailedCount}
            onLink={onLink}
          />
        )
        : !view?.hasDeeperParts && (
          <p className="message-none">{view ? "This message has no text." : email?.preview}</p>
        )}
      {email && view?.isTruncated && <Cut conversation={conversation} email={email} />}
      {email && view?.hasDeeperParts && (
        <Banner icon="info">
          <span className="cut-note">Part of this message is nested too deeply to be shown.</span>{" "}
          <SaveMessage conversation={conversation} email={email} />
        </Banner>
      )}
      {email && (
        <Attachments
          accountId={conversation.accountId}
          parts={besideCalendar(email.attachments, calendar)}
          risks={view?.attachmentRisks ?? {}}
          html={view?.html ?? null}
          title={subjectOf(email)}
        />
      )}
    </>
  );
}

interface LetterProps {
  accountId: Id;
  isOriginal: boolean;
  view: EmailView | null;
  /** It is the message where reading begins. */
  isSought: boolean;
  name: string;
  onFailedImages: (count: number) => void;
  onLink: (link: string | null) => void;
}

/** The text as its sender laid it out, with its quoted end folded away. */
function Letter({ accountId, isOriginal, view, isSought, name, onFailedImages, onLink }: LetterProps) {
  const app = useApp();
  const { rem } = useMeasures();
  const isDark = useIsDark(useThemeChoice(app));
  const { marks, isCurrent } = useReading(app.searchWords, searchedFor(app.router.place));
  const [hasQuote, setQuote] = useState(false);
  const [showsQuote, setShowsQuote] = useState(false);
  const [isBlank, setBlank] = useState(false);
  const [isPlain, setPlain] = useState(false);
  return (
    <>
      {isBlank && !isPlain && (
        <Banner icon="warning" kind="problem">
          The formatting of this message hides its text.{" "}
          <Button kind="quiet" onClick={() => setPlain(true)}>Show without formatting</Button>
        </Banner>
      )}
      <MailFrame
        html={view?.html ?? null}
        pendingImageCount={view?.pendingImageCount ?? 0}
        title={`Message from ${name}`}
        rem={rem}
        isDark={isDark}
        isOriginal={isOriginal}
        showsQuote={showsQuote}
        isPlain={isPlain}
        linkWarnings={view?.linkWarnings ?? NONE}
        marks={isCurrent ? marks : NO_MARKS}
        isSought={isSought}
        onQuote={setQuote}
        onBlank={setBlank}
        onFailedImages={onFailedImages}
        onUnfold={() => setShowsQuote(true)}
        onLink={onLink}
        onKey={app.shortcuts.handle}
        onWrite={(mailto) => openComposer(app, { mode: "new", accountId, mailto })}
        onMisleading={({ sentence }, go) => warn(app, sentence, go)}
      />
      {hasQuote && (
        <Button
          kind="quiet"
          className="quote-button"
          aria-expanded={showsQuote}
          onClick={() => setShowsQuote(!showsQuote)}
        >
          {showsQuote ? "Hide quoted text" : "Show quoted text"}
        </Button>
      )}
    </>
  );
}

async function warn(app: App, text: string, go: () => void): Promise<void> {
  const isYes = await app.dialogs.confirm({
    title: "This link goes to a different site",
    text,
    confirm: "Open anyway",
    isDestructive: true,
  });
  if (isYes) go();
}

/** Says that a message is not shown whole, and how to have all of it. */
function Cut({ conversation, email }: { conversation: Conversation; email: Email }) {
  const [isBusy, setBusy] = useState(false);
  const hasMore = conversation.bodies.hasMore(email.id);
  const showMore = async () => {
    setBusy(true);
    await conversation.bodies.showMore(email.id);
    setBusy(false);
  };
  return (
    <Banner icon="info">
      <span className="cut-note">
        {hasMore
          ? `This message is ${size(email.size)}. Only the first part of its text is shown.`
          : "This message is very long, and the end is not shown."}
      </span>{" "}
      {hasMore && <Button kind="quiet" disabled={isBusy} onClick={showMore}>Show more</Button>}
      <SaveMessage conversation={conversation} email={email} />
    </Banner>
  );
}

function SaveMessage({ conversation, email }: { conversation: Conversation; email: Email }) {
  return (
    <Button
      kind="quiet"
      onClick={() => save(downloadURL(conversation.accountId, email.blobId, "message.eml", "message/rfc822"))}
    >
      Save the full message
    </Button>
  );
}
