import { useEffect, useRef } from "react";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { IconButton } from "../../ui/Button.tsx";
import { giveFocusBack } from "../../ui/focus.ts";
import type { Composer } from "./composer.ts";
import { ComposerView } from "./ComposerView.tsx";
import { type Composers, composersOf } from "./composers.ts";
import { queryOf } from "./writing.ts";
import "./composer.css";

/** Composers that are open in this window beside the mail. */
export function ComposerDock() {
  const app = useApp();
  const composers = useObservable(composersOf(app));
  useEffect(() => {
    composers.setDock(true);
    return () => composers.setDock(false);
  }, [composers]);
  if (composers.docked.length === 0) return null;
  return (
    <div className="dock">
      {composers.docked.map((composer) => (
        <Docked key={composer.key} composer={composer} composers={composers} />
      ))}
    </div>
  );
}

function Docked({ composer, composers }: { composer: Composer; composers: Composers }) {
  const app = useApp();
  useObservable(composer);
  const isClosed = composer.status === "closed";
  const before = useRef(document.activeElement);
  useEffect(() => () => giveFocusBack(before.current), []);
  useEffect(() => {
    if (isClosed) composers.undock(composer);
  }, [isClosed]);

  async function popOut() {
    if (!await composer.save()) return app.toasts.problem(composer.saveProblem ?? "It could not be saved.");
    const { draftId, accountId } = composer;
    const isOpen = draftId
      ? app.router.openWindow(["compose", accountId, draftId], `compose-${draftId}`)
      : app.router.openWindow(["compose", "new"], `compose-${crypto.randomUUID()}`, undefined, {
        ...queryOf(composer.writing),
        accountId,
      });
    if (isOpen) composers.undock(composer);
    else app.toasts.problem("Your browser did not allow another window.");
  }

  if (composer.isMinimised) {
    return (
      <div className="dock-bar">
        <button type="button" className="dock-title" onClick={() => composers.minimise(composer, false)}>
          {composer.title}
        </button>
        <IconButton icon="close" label={`Close “${composer.title}”`} onClick={() => leave()} />
      </div>
    );
  }

  async function leave() {
    const isKept = await composer.leave();
    if (isKept) app.toasts.show("Draft saved");
    if (isKept === null) app.toasts.problem(composer.saveProblem ?? "The draft could not be saved.");
  }

  return (
    <section className="dock-panel" role="dialog" aria-label={composer.title}>
      <ComposerView
        composer={composer}
        onSent={(sent) => composers.sending.follow(sent)}
        onLeave={leave}
        buttons={
          <>
            <IconButton icon="minus" label="Minimise" onClick={() => composers.minimise(composer, true)} />
            <IconButton icon="window" label="Open in a window of its own" onClick={popOut} />
          </>
        }
      />
    </section>
  );
}
