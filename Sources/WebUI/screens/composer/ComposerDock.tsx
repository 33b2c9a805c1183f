import { useEffect, useRef } from "react";
import { type App, useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { IconButton } from "../../ui/Button.tsx";
import { giveFocusBack } from "../../ui/focus.ts";
import type { Composer } from "./composer.ts";
import { ComposerView } from "./ComposerView.tsx";
import { type Composers, composersOf } from "./composers.ts";
import { queryOf } from "./writing.ts";
import "./composer.css";
import "./composerBody.css";

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

interface DockedProps {
  composer: Composer;
  composers: Composers;
}

function Docked({ composer, composers }: DockedProps) {
  const app = useApp();
  useObservable(composer);
  const isClosed = composer.status === "closed";
  const before = useRef(document.activeElement);
  useEffect(() => () => giveFocusBack(before.current), []);
  useEffect(() => {
    if (isClosed) composers.undock(composer);
  }, [isClosed]);
  const leave = async () => {
    const isKept = await composer.leave();
    if (isKept) app.toasts.show("Draft saved");
    if (isKept === null) app.toasts.problem(composer.saveProblem ?? "The draft could not be saved.");
  };
  if (composer.isMinimized) return <Bar composer={composer} composers={composers} onLeave={leave} />;
  return (
    <section className="dock-panel" role="dialog" aria-label={composer.title}>
      <ComposerView
        composer={composer}
        onSent={(sent) => composers.sending.follow(sent)}
        onLeave={leave}
        buttons={
          <>
            <IconButton icon="minus" label="Minimize" onClick={() => composers.minimize(composer, true)} />
            <IconButton
              icon="window"
              label="Open in a new window"
              onClick={() => popOut(app, composer, composers)}
            />
          </>
        }
      />
    </section>
  );
}

function Bar({ composer, composers, onLeave }: DockedProps & { onLeave: () => void }) {
  return (
    <div className="dock-bar">
      <button type="button" className="dock-title" onClick={() => composers.minimize(composer, false)}>
        {composer.title}
      </button>
      <IconButton icon="close" label={`Close “${composer.title}”`} onClick={onLeave} />
    </div>
  );
}

async function popOut({ router, toasts }: App, composer: Composer, composers: Composers): Promise<void> {
  if (!await composer.save()) {
    return void toasts.problem(composer.saveProblem ?? "The draft could not be saved.");
  }
  const { draftId, accountId, writing } = composer;
  const isOpen = draftId
    ? router.openWindow(["compose", accountId, draftId], `compose-${draftId}`)
    : router.openWindow(["compose", "new"], `compose-${crypto.randomUUID()}`, undefined, {
      ...queryOf(writing),
      accountId,
    });
  if (isOpen) composers.undock(composer);
  else toasts.problem("Your browser blocked the new window.");
}
