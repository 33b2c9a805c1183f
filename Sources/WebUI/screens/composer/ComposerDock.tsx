import { useEffect } from "react";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { IconButton } from "../../ui/Button.tsx";
import { LaterView } from "./LaterView.tsx";
import { composersOf } from "./composers.ts";
import { type DockedProps, useDocked, Ways } from "./Docked.tsx";
import { Corners, useMoving } from "./moving.tsx";
import "./composer.css";
import "./composerBody.css";
import "./dock.css";

/** Composers that are open in this window above the mail, and bars for those that are put away. */
export function ComposerDock() {
  const app = useApp();
  const composers = useObservable(composersOf(app));
  useEffect(() => {
    composers.setDock(true);
    return () => composers.setDock(false);
  }, [composers]);
  const docked = composers.docked.filter((composer) => !composers.isBelow(composer));
  if (docked.length === 0) return null;
  return (
    <div className="dock">
      {docked.map((composer) => <Docked key={composer.key} composer={composer} composers={composers} />)}
    </div>
  );
}

/** An answer whose message is not on the screen any more is a bar until the user wants it back. */
function Docked({ composer, composers }: DockedProps) {
  useObservable(composer);
  return composer.isMinimized || composer.place === "below"
    ? <Bar composer={composer} composers={composers} />
    : <Panel composer={composer} composers={composers} />;
}

function Panel({ composer, composers }: DockedProps) {
  const leave = useDocked(composer);
  const { frame, style, header, grip, corner } = useMoving(composer, composers);
  return (
    <section
      ref={frame}
      className={`dock-panel ${
        composer.box ? "dock-placed" : composers.hasHost(composer) ? "dock-answer" : ""
      }`}
      style={style}
      role="dialog"
      aria-label={composer.title}
      onPointerDownCapture={() =>
        composer.box && composers.docked[0] !== composer && composers.raise(composer)}
    >
      <LaterView
        composer={composer}
        header={header}
        onSent={(sent) => composers.sending.follow(sent)}
        onLeave={leave}
        buttons={
          <Ways composer={composer} composers={composers}>
            {composers.hasHost(composer) && (
              <IconButton
                icon="popin"
                label="Write below the message"
                onClick={() => composers.putBelow(composer)}
              />
            )}
            {grip}
            <IconButton icon="minus" label="Minimize" onClick={() => composers.minimize(composer, true)} />
          </Ways>
        }
      />
      <Corners corner={corner} />
    </section>
  );
}

function Bar({ composer, composers }: DockedProps) {
  const leave = useDocked(composer);
  return (
    <div className="dock-bar">
      <button type="button" className="dock-title" onClick={() => composers.float(composer)}>
        {composer.title}
      </button>
      <IconButton icon="close" label={`Close “${composer.title}”`} onClick={leave} />
    </div>
  );
}
