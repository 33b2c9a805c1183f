import { useLayoutEffect, useRef } from "react";
import type { Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { IconButton } from "../../ui/Button.tsx";
import { LaterView } from "./LaterView.tsx";
import { composersOf } from "./composers.ts";
import { type DockedProps, useDocked, Ways } from "./Docked.tsx";
import { useInSight } from "./useInSight.ts";
import "./composer.css";
import "./composerBody.css";
import "./dock.css";

interface BelowMessageProps {
  accountId: Id;
  emailId: Id;
  /** Archives the conversation, and shows what comes next. */
  onArchive: () => void;
}

/** The answers to a message, which are written below it. */
export function BelowMessage({ accountId, emailId, onArchive }: BelowMessageProps) {
  const composers = useObservable(composersOf(useApp()));
  useLayoutEffect(() => composers.host(accountId, emailId), [composers, accountId, emailId]);
  return (
    <>
      {composers.below(accountId, emailId).map((composer) => (
        <Answer key={composer.key} composer={composer} composers={composers} onArchive={onArchive} />
      ))}
    </>
  );
}

function Answer({ composer, composers, onArchive }: DockedProps & Pick<BelowMessageProps, "onArchive">) {
  const leave = useDocked(composer);
  const place = useRef<HTMLElement>(null);
  // All of it, not only the line with the caret.
  useInSight(place, composer.status === "ready");
  return (
    <section ref={place} className="below-message" role="group" aria-label={composer.title}>
      <LaterView
        composer={composer}
        onSent={(sent) => composers.sending.follow(sent)}
        onLeave={leave}
        onArchive={onArchive}
        buttons={
          <Ways composer={composer} composers={composers}>
            <IconButton icon="popout" label="Pop out" onClick={() => composers.float(composer)} />
          </Ways>
        }
      />
    </section>
  );
}
