import { useCallback, useEffect, useState } from "react";
import { RequestProblem, words } from "../jmap/errors.ts";
import type { EmailHeader, Id } from "../jmap/types.ts";
import { type App, AppContext } from "../store/app.ts";
import { tellOfNewMail } from "../store/newMail.ts";
import { useAppearance } from "../store/appearance.ts";
import { useThemeChoice } from "../store/themeChoice.ts";
import { useObservable, useValue } from "../base/observable.ts";
import { QuestionDialog } from "../ui/Dialog.tsx";
import { FailedState, Spinner } from "../ui/states.tsx";
import { useTextSize, useTheme } from "../ui/theme.ts";
import { ToastRegion } from "../ui/Toasts.tsx";
import { composersOf } from "./composer/composers.ts";
import { openComposer } from "./composer/open.tsx";
import { HelpSheet } from "./HelpSheet.tsx";
import { useNotices } from "./notices.ts";
import { Screen } from "./Screen.tsx";
import { SignedOut } from "./SignedOut.tsx";
import { LockedScreen } from "./settings/LockedScreen.tsx";
import { VaultDialog } from "./settings/VaultForm.tsx";

/** What the store knows nothing of. */
export function ready(app: App): App {
  composersOf(app).reopen = (writing) => openComposer(app, writing);
  return app;
}

interface StartProps {
  first: Promise<App>;
  /** What `first` led to, if it was quick. */
  known: App | null;
  again: () => Promise<App>;
}

/** From nothing to the first screen. */
export function Start({ first, known, again: connectAgain }: StartProps) {
  const [app, setApp] = useState(known);
  const [problem, setProblem] = useState<unknown>(null);
  const show = useCallback(async (connecting: Promise<App>) => {
    setProblem(null);
    try {
      setApp(await connecting);
    } catch (error) {
      setProblem(error);
    }
  }, []);
  useEffect(() => {
    show(first);
  }, [show, first]);
  const again = () => show(connectAgain());
  const look = useCallback(() => {
    connectAgain().then((app) => {
      setProblem(null);
      setApp(app);
    }, () => {});
  }, [connectAgain]);

  // The store did not respond: by itself, the page asks again until it does.
  const isWaiting = problem instanceof RequestProblem && problem.status === 503;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(look, 3000);
    return () => clearInterval(timer);
  }, [isWaiting, look]);

  if (problem instanceof RequestProblem && problem.status === 401) return <SignedOut again={look} />;
  if (problem instanceof RequestProblem && problem.status === 423) return <LockedScreen onUnlock={again} />;
  if (problem) {
    return (
      <main className="center">
        <FailedState isScreen title="Your mail could not be loaded" reason={words(problem)} retry={again} />
      </main>
    );
  }
  if (!app) {
    return (
      <main className="center">
        <Spinner label="Opening your mail" />
      </main>
    );
  }
  return (
    <AppContext.Provider value={app}>
      <Frame app={app} />
    </AppContext.Provider>
  );
}

function Frame({ app }: { app: App }) {
  useObservable(app);
  useTheme(useThemeChoice(app));
  useTextSize(useAppearance(app).textSize);
  const refusal = useValue(app.refusal);
  useNotices(app);
  useEffect(() => {
    composersOf(app).sending.resume();
  }, [app]);
  useVisibility(app);
  useEffect(() => tellOfNewMail(app, (accountId, email) => openNews(app, accountId, email)), [app]);
  const listen = useCallback(() => app.listen(), [app]);
  if (refusal === 401) return <SignedOut isWriting={composersOf(app).isWriting} again={listen} />;
  if (refusal === 423) {
    return (
      <LockedScreen
        onUnlock={() => {
          app.refusal.value = null;
          app.listen();
          app.refresh();
        }}
      />
    );
  }
  return (
    <>
      <Screen />
      <VaultDialog />
      <QuestionDialog dialogs={app.dialogs} />
      <HelpSheet app={app} />
      <ToastRegion toasts={app.toasts} />
    </>
  );
}

/** The program knows which windows can be seen. */
function useVisibility(app: App): void {
  useEffect(() => {
    const tell = () => {
      const update = { [app.windowId]: { isVisible: document.visibilityState === "visible" } };
      app.client.call("Window/set", { accountId: "program", update }).catch(() => {});
    };
    document.addEventListener("visibilitychange", tell);
    return () => document.removeEventListener("visibilitychange", tell);
  }, [app]);
}

function openNews({ router }: App, accountId: Id, { threadId }: EmailHeader): void {
  const path = ["mail", "all", "inbox", accountId, threadId];
  // A composer in its own window stays there.
  if (router.place.path[0] === "compose") router.openWindow(path, "mail", "width=1200,height=800");
  else router.go(path);
}
