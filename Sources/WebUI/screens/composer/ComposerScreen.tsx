import { useEffect, useState } from "react";
import { CAPABILITY } from "../../jmap/program.ts";
import { useApp, useKeysOnce } from "../../store/app.ts";
import { type Observable, useObservable, Value } from "../../base/observable.ts";
import type { Place } from "../../store/router.ts";
import { EmptyState, Spinner } from "../../ui/states.tsx";
import type { Composer } from "./composer.ts";
import type { Writing } from "./writing.ts";
import { ComposerView } from "./ComposerView.tsx";
import { composersOf } from "./composers.ts";
import "./composer.css";

/** A composer that fills its window, or takes the place of the mail where there is little room. */
export function ComposerScreen() {
  const app = useApp();
  const composers = composersOf(app);
  const { place } = useObservable(app.router);
  const settings = useObservable(app.accountSettings);
  useObservable(app);
  const [composer, setComposer] = useState<Composer | null>(null);
  const canWrite = composers.accounts.some((id) => app.client.has(CAPABILITY.compose, id)) ||
    app.client.has(CAPABILITY.compose);
  // Which account is the default is known once the accounts are.
  const isReady = canWrite && settings.status === "ready" && app.preferences.status === "ready";
  const address = place.path.join("/");
  useEffect(() => {
    if (!isReady || (composer?.draftId && place.path[2] === composer.draftId)) return;
    setComposer(composers.begin(writingOf(place)));
  }, [isReady, address]);
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
      if (composer && composer.status !== "closed") keep(composer);
    };
  }, [composer]);

  useKeysOnce(app, composer !== null);
  const watched: Observable = composer ?? NOTHING;
  useObservable(watched);
  const shown = composer;
  const draftId = shown?.draftId;
  useEffect(() => {
    // So that the message is there again when the page is loaded anew.
    if (shown && draftId && shown.status === "ready") {
      app.router.replace(["compose", shown.accountId, draftId]);
    }
  }, [draftId]);
  useEffect(() => {
    if (shown) document.title = `${shown.title} – mailkernel`;
  });

  async function keep(composer: Composer) {
    // While nothing else is to be seen than that it is locked, there is nothing to be said.
    if (await composers.leave(composer) || app.refusal.value !== null) return;
    app.toasts.problem(
      `The draft is not saved yet. ${composer.saveProblem ?? ""} It is kept in this window.`,
    );
  }
  function close() {
    if (isOwnWindow()) return globalThis.close();
    app.router.backOr([]);
  }

  if (settings.status === "ready" && !canWrite) {
    const back = { label: "Go to your mail", run: () => app.router.replace([]) };
    return (
      <main className="center">
        <EmptyState isScreen icon="compose" title="None of your accounts can send mail" action={back} />
      </main>
    );
  }
  if (!composer) {
    return (
      <main className="center">
        <Spinner label="Opening your message" />
      </main>
    );
  }
  return (
    <main className="composer-screen">
      <ComposerView
        key={composer.key}
        composer={composer}
        isAlone
        onSent={async (sent) => {
          const left = isOwnWindow() ? await composers.sending.handOver(sent) : sent;
          if (!left) return close();
          composers.sending.follow(left);
          app.router.backOr([]);
        }}
        onLeave={async () => {
          const isKept = await composer.leave();
          if (isKept === null) {
            return app.toasts.problem(
              composer.saveProblem ?? "The draft could not be saved.",
            );
          }
          if (isKept) app.toasts.show("Draft saved");
          close();
        }}
      />
    </main>
  );
}

/** Whether the page opened this window to write in it, so that it may close it too. */
function isOwnWindow(): boolean {
  return String(self.name).startsWith("compose-");
}

const NOTHING = new Value(null);

function writingOf({ path, query }: Place): Writing {
  const [, accountId, draftId] = path;
  if (accountId !== "new" && accountId && draftId) return { mode: "new", accountId, draftId };
  const mode = query.get("mode");
  return {
    mode: mode === "reply" || mode === "replyAll" || mode === "forward" ? mode : "new",
    accountId: query.get("accountId") ?? undefined,
    emailId: query.get("emailId") ?? undefined,
    mailto: query.get("mailto") ?? undefined,
    draftEmailId: query.get("draftEmailId") ?? undefined,
    draftId: query.get("draftId") ?? undefined,
    submissionId: query.get("submissionId") ?? undefined,
  };
}
