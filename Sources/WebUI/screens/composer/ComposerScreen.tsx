import { useEffect, useState } from "react";
import type { Sent } from "../../jmap/compose.ts";
import { type App, useApp, useKeysOnce } from "../../store/app.ts";
import { type Observable, useObservable, Value } from "../../base/observable.ts";
import type { Place } from "../../store/router.ts";
import { EmptyState, Spinner } from "../../ui/states.tsx";
import type { Composer } from "./composer.ts";
import type { Writing } from "./writing.ts";
import { LaterView } from "./LaterView.tsx";
import { composersOf } from "./composers.ts";
import "./composer.css";
import "./composerBody.css";

/** A composer that fills its window, or takes the place of the mail where there is little room. */
export function ComposerScreen() {
  const app = useApp();
  const settings = useObservable(app.accountSettings);
  useObservable(app);
  const canWrite = composersOf(app).accounts.length > 0;
  // Which account is the default is known once the accounts are.
  const isReady = canWrite && settings.status === "ready" && app.preferences.status === "ready";
  const composer = useComposer(isReady);
  useKeysOnce(app, composer !== null);
  useObservable<Observable>(composer ?? NOTHING);
  useAddress(composer);
  if (composer) {
    return (
      <main className="composer-screen">
        <Alone key={composer.key} composer={composer} />
      </main>
    );
  }
  const back = { label: "Go to your mail", run: () => app.router.replace([]) };
  return (
    <main className="center">
      {settings.status === "ready" && !canWrite
        ? <EmptyState isScreen icon="compose" title={composersOf(app).problem} action={back} />
        : <Spinner label="Opening your message" />}
    </main>
  );
}

/** The message that the address names, kept when the screen goes away. */
function useComposer(isReady: boolean): Composer | null {
  const app = useApp();
  const composers = composersOf(app);
  const { place } = useObservable(app.router);
  const [composer, setComposer] = useState<Composer | null>(null);
  useEffect(() => {
    if (!isReady || (composer?.draftId && place.path[2] === composer.draftId)) return;
    setComposer(composers.begin(writingOf(place)));
  }, [isReady, place.path.join("/")]);
  useEffect(() => {
    const before = composers.reopen;
    composers.reopen = (writing) => setComposer(composers.begin(writing));
    return () => {
      composers.reopen = before;
    };
  }, [composers]);
  useEffect(() => {
    composers.alone = composer;
    return () => {
      composers.alone = null;
      if (composer && composer.status !== "closed") keep(app, composer);
    };
  }, [composer]);
  return composer;
}

async function keep(app: App, composer: Composer): Promise<void> {
  // While nothing else is to be seen than that it is locked, there is nothing to be said.
  if (await composersOf(app).leave(composer) || app.refusal.value !== null) return;
  app.toasts.problem(
    `The draft is not saved yet. ${composer.saveProblem ?? ""} Keep this window open.`,
  );
}

/** The window's address and title are the draft's, so that it reopens after a reload. */
function useAddress(composer: Composer | null): void {
  const app = useApp();
  const draftId = composer?.draftId;
  useEffect(() => {
    if (composer && draftId && composer.status === "ready") {
      app.router.replace(["compose", composer.accountId, draftId]);
    }
  }, [draftId]);
  useEffect(() => {
    if (composer) document.title = `${composer.title} – mailkernel`;
  });
}

function Alone({ composer }: { composer: Composer }) {
  const app = useApp();
  const { sending } = composersOf(app);
  const close = () => isOwnWindow() ? globalThis.close() : app.router.backOr([]);
  const sent = async (sent: Sent) => {
    const left = isOwnWindow() ? await sending.handOver(sent) : sent;
    if (!left) return close();
    sending.follow(left);
    app.router.backOr([]);
  };
  const leave = async () => {
    const isKept = await composer.leave();
    if (isKept === null) {
      return void app.toasts.problem(composer.saveProblem ?? "The draft could not be saved.");
    }
    if (isKept) app.toasts.show("Draft saved");
    close();
  };
  return <LaterView composer={composer} isAlone onSent={sent} onLeave={leave} />;
}

/** Whether the page opened this window to write in it, so that it may close it too. */
function isOwnWindow(): boolean {
  return String(self.name).startsWith("compose-");
}

const NOTHING = new Value(null);
const MODES = ["reply", "replyAll", "forward", "forwardAsAttachment"] as const;

function writingOf({ path, query }: Place): Writing {
  const [, accountId, draftId] = path;
  if (accountId !== "new" && accountId && draftId) return { mode: "new", accountId, draftId };
  const mode = query.get("mode");
  return {
    mode: MODES.find((one) => one === mode) ?? "new",
    accountId: query.get("accountId") ?? undefined,
    emailId: query.get("emailId") ?? undefined,
    mailto: query.get("mailto") ?? undefined,
    attached: query.get("attached") ?? undefined,
    draftEmailId: query.get("draftEmailId") ?? undefined,
    draftId: query.get("draftId") ?? undefined,
    submissionId: query.get("submissionId") ?? undefined,
    templateId: query.get("templateId") ?? undefined,
  };
}
