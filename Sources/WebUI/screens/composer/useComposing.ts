import { type RefObject, useRef, useState } from "react";
import type { ComposingSubject } from "../../actions/composing.ts";
import { COMPOSING } from "../../actions/composing.ts";
import { shortcuts } from "../../actions/offers.ts";
import { useShortcuts } from "../../base/shortcuts.ts";
import type { Sent } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";
import { type App, useApp } from "../../store/app.ts";
import { holdingOf } from "../../store/holding.ts";
import type { BodyTools } from "./bodyTools.ts";
import { mayImitate } from "./addresses.ts";
import { archivedWith, archiveSource } from "./archiveSource.ts";
import type { Composer } from "./composer.ts";
import { htmlOf } from "./plainText.ts";
import { switchFormat } from "./switchFormat.ts";

/** What becomes of a composer is up to the screen that it is on. */
export interface ComposerExits {
  onSent: (sent: Sent) => void;
  onLeave: () => void;
  /** It fills its window. */
  isAlone?: boolean | undefined;
  /** Archives the conversation that is answered, where that shows another. */
  onArchive?: (() => void) | undefined;
}

export interface Composing {
  subject: ComposingSubject;
  frame: RefObject<HTMLDivElement>;
  body: RefObject<BodyTools>;
  files: RefObject<HTMLInputElement>;
  images: RefObject<HTMLInputElement>;
  /** Sends the message later, and what ends the question when; null while it is not asked. */
  later: { isHere: boolean; send: (at: Date, isByService: boolean) => void; close: () => void } | null;
  /** The same for the time of a reminder. */
  reminding: { choose: (at: Date) => void; close: () => void } | null;
}

/** The message as its actions need it, and their keys. */
export function useComposing(composer: Composer, exits: ComposerExits): Composing {
  const app = useApp();
  const frame = useRef<HTMLDivElement>(null);
  const body = useRef<BodyTools>(null);
  const files = useRef<HTMLInputElement>(null);
  const images = useRef<HTMLInputElement>(null);
  const [asked, setAsked] = useState<"later" | "laterHere" | "reminder" | null>(null);
  const close = () => setAsked(null);
  const subject: ComposingSubject = {
    app,
    targets: [],
    send: () => send(app, composer, exits),
    sendAndArchive: composer.sourceEmailId
      ? () => send(app, composer, exits, exits.onArchive ?? (() => archiveSource(composer)))
      : null,
    sendLater: () => setAsked("later"),
    remind: () => setAsked("reminder"),
    save: () => composer.save(),
    attach: () => files.current?.click(),
    isPlain: !composer.content.isRich,
    look: composer.content.format.value,
    format: (what) => body.current?.format(what),
    link: () => body.current?.link(),
    insertImage: () => images.current?.click(),
    describeImage: () => body.current?.describe(),
    switchFormat: () => switchFormat(composer),
    pastePlain: () => pastePlain(app, body.current),
    saveTemplate: () => {},
    close: exits.onLeave,
    discard: () => discard(app, composer, exits),
  };
  const keys = shortcuts(COMPOSING, () => subject).map(({ run, ...rest }) => ({
    ...rest,
    whileWriting: true,
    // Keys belong to the message that has the focus.
    run: (event: KeyboardEvent) => {
      const isMine = exits.isAlone || frame.current?.contains(document.activeElement);
      return isMine ? run(event) : false;
    },
  }));
  useShortcuts(app.shortcuts, "Writing", keys, composer.status === "ready");
  const later = {
    isHere: asked === "laterHere",
    send: async (at: Date, isByService: boolean) => {
      close();
      await send(app, composer, exits, undefined, at, isByService);
      // The service has refused it.
      const isRefused = isByService && !holdingOf(app).can(composer.accountId, at);
      if (isRefused && composer.isReady) setAsked("laterHere");
    },
    close,
  };
  const reminding = { choose: (remindAt: Date) => composer.set({ remindAt }), close };
  return {
    subject,
    frame,
    body,
    files,
    images,
    later: asked === "later" || asked === "laterHere" ? later : null,
    reminding: asked === "reminder" ? reminding : null,
  };
}

/** The words of what was copied. */
async function pastePlain({ toasts }: App, body: BodyTools | null): Promise<void> {
  try {
    const text = await navigator.clipboard.readText();
    if (text) body?.insertHTML(htmlOf(text));
  } catch {
    toasts.problem("The browser did not allow reading the clipboard. Press Ctrl + Shift + V instead.");
  }
}

/** What is easily forgotten, and seldom meant. */
const FORGOTTEN = new Set(["missingAttachment", "placeholderLeft"]);

async function send(
  app: App,
  composer: Composer,
  { onSent }: ComposerExits,
  archive?: () => void | Promise<void>,
  at?: Date,
  isByService = false,
): Promise<void> {
  const { obstacle, isSending } = composer;
  if (isSending) return;
  if (obstacle) return void app.toasts.problem(obstacle);
  if (composer.remindAt && composer.remindAt <= (at ?? new Date())) {
    return void app.toasts.problem("The reminder is due before the message is sent. Change its time.");
  }
  const ask = (title: string, text?: string) =>
    app.dialogs.confirm({ title, ...(text ? { text } : {}), confirm: "Send", cancel: "Keep Editing" });
  if (!composer.subject.trim() && !await ask("Send without subject?")) return;
  if (composer.content.isEmpty && !await ask("Send empty message?")) return;
  const [warning] = await unseenWarnings(composer);
  if (warning && !await ask("Send to this address?", warning)) return;
  await composer.saveForSending();
  const forgotten = composer.problems.filter(({ kind }) => FORGOTTEN.has(kind)).map(({ text }) => text);
  if (forgotten.length > 0 && !await ask("Send as it is?", forgotten.join(" "))) return;
  const sent = await composer.send(at, isByService);
  if (!sent) return;
  onSent(archive ? await archivedWith(sent, app, archive) : sent);
}

/** Warnings about recipients added so recently that the program has not judged them yet. */
async function unseenWarnings(composer: Composer): Promise<string[]> {
  const { recipients } = composer;
  const seen = new Set(
    recipients.all.map(({ email }) => email).filter((email) => recipients.warnings.has(email)),
  );
  recipients.commitAll();
  if (!recipients.all.some((address) => mayImitate(address) && !seen.has(address.email))) return [];
  await composer.saveForSending();
  return recipients.all.filter(({ email }) => !seen.has(email))
    .map(({ email }) => recipients.warnings.get(email)).filter((warning) => warning !== undefined);
}

async function discard(app: App, composer: Composer, { isAlone, onLeave }: ComposerExits): Promise<void> {
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
