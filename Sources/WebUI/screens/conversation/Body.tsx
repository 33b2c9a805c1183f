import { useState } from "react";
import { downloadURL } from "../../jmap/blobs.ts";
import { words } from "../../jmap/errors.ts";
import type { TrustedSender } from "../../jmap/vendor.ts";
import { MailFrame } from "../../mail/MailFrame.tsx";
import { useApp } from "../../store/app.ts";
import type { Conversation, OpenMessage } from "../../store/conversation.ts";
import { counted } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { useMeasures } from "../../ui/layout.ts";
import { Banner, Spinner } from "../../ui/states.tsx";
import { useIsDark } from "../../ui/theme.ts";
import { openComposer } from "../composer/open.tsx";
import { Attachments } from "./Attachments.tsx";

interface BodyProps {
  conversation: Conversation;
  /** Undefined while it is asked for; its frame is made ready meanwhile. */
  message: OpenMessage | undefined;
  name: string;
  onLink: (link: string | null) => void;
}

/** The text of a message, what was held back from it, and what came with it. */
export function Body({ conversation, message, name, onLink }: BodyProps) {
  const app = useApp();
  const { email, view } = message ?? {};
  const { rem } = useMeasures();
  const isDark = useIsDark(app.preferences);
  const [hasQuote, setQuote] = useState(false);
  const [showsQuote, setShowsQuote] = useState(false);
  return (
    <>
      {view && <Privacy conversation={conversation} view={view} sender={email?.from?.[0]?.email ?? null} />}
      {!message && (
        <div className="message-loading">
          <Spinner label="Opening the message" />
        </div>
      )}
      {!message || view?.html
        ? (
          <MailFrame
            html={view?.html ?? null}
            title={`Message from ${name}`}
            rem={rem}
            isDark={isDark}
            showsQuote={showsQuote}
            onQuote={setQuote}
            onLink={onLink}
            onKey={app.shortcuts.handle}
            onWrite={(mailto) =>
              openComposer(app, { mode: "new", accountId: conversation.accountId, mailto })}
            onMisleading={async (says, leadsTo, open) => {
              const isYes = await app.dialogs.confirm({
                title: "This link leads elsewhere",
                text: `It says “${says}”, but leads to ${leadsTo}.`,
                confirm: "Open anyway",
                isDestructive: true,
              });
              if (isYes) open();
            }}
          />
        )
        : <p className="message-none">{view ? "This message has no text." : email?.preview}</p>}
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
      {email && view?.isTruncated && (
        <Banner icon="info">
          This message is very long, and its end is not shown.{" "}
          <Button
            kind="quiet"
            onClick={() =>
              save(downloadURL(conversation.accountId, email.blobId, "message.eml", "message/rfc822"))}
          >
            Save all of it
          </Button>
        </Banner>
      )}
      {email && (
        <Attachments
          accountId={conversation.accountId}
          parts={email.attachments}
          dangerous={view?.dangerousBlobIds ?? []}
        />
      )}
    </>
  );
}

interface PrivacyProps {
  conversation: Conversation;
  view: NonNullable<OpenMessage["view"]>;
  sender: string | null;
}

/** What was held back so that nobody learns that the message was read. */
function Privacy({ conversation, view, sender }: PrivacyProps) {
  const app = useApp();
  const [isBusy, setBusy] = useState(false);
  const { blockedRemoteCount: blocked, removedTrackerCount: trackers } = view;
  if (blocked === 0 && trackers === 0) return null;
  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      app.toasts.problem(words(error));
    }
    setBusy(false);
  };
  const trust = async () => {
    if (!sender) return;
    await app.records<TrustedSender>("TrustedSender").create({ email: sender });
    await conversation.reread();
    app.toasts.show(`Images from ${sender} load from now on. Settings can take it back.`);
  };
  return (
    <Banner icon="shield">
      {trackers > 0 && <span className="privacy-trackers">{counted(trackers, "tracker")} blocked</span>}
      {blocked > 0 && (
        <>
          <span>
            {counted(blocked, "remote image")}{" "}
            not loaded, so that the sender does not learn that you read this.
          </span>
          <span className="privacy-buttons">
            <Button
              kind="quiet"
              disabled={isBusy}
              onClick={() => act(() => conversation.loadRemote(view.id))}
            >
              Load remote images
            </Button>
            {sender && (
              <Button kind="quiet" disabled={isBusy} onClick={() => act(trust)}>Always for {sender}</Button>
            )}
          </span>
        </>
      )}
    </Banner>
  );
}

/** The browser's own download: it asks where to, and shows how far it is. */
export function save(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
