import { type ReactNode, useEffect, useRef } from "react";
import { type App, useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { IconButton } from "../../ui/Button.tsx";
import { giveFocusBack } from "../../ui/focus.ts";
import type { Composer } from "./composer.ts";
import type { Composers } from "./composers.ts";
import { queryOf } from "./writing.ts";

export interface DockedProps {
  composer: Composer;
  composers: Composers;
}

/** Closes a composer that is beside the mail; the focus returns to where it was. */
export function useDocked(composer: Composer): () => Promise<void> {
  const app = useApp();
  useObservable(composer);
  const before = useRef(document.activeElement);
  useEffect(() => () => giveFocusBack(before.current), []);
  return async () => {
    const isKept = await composer.leave();
    if (isKept) app.toasts.show("Draft saved");
    if (isKept === null) app.toasts.problem(composer.saveProblem ?? "The draft could not be saved.");
  };
}

/** The button that moves it to a window of its own, behind others. */
export function Ways({ composer, composers, children }: DockedProps & { children?: ReactNode }) {
  const app = useApp();
  return (
    <>
      {children}
      <IconButton
        icon="window"
        label="Open in a new window"
        onClick={() => popOut(app, composer, composers)}
      />
    </>
  );
}

async function popOut({ router, toasts }: App, composer: Composer, composers: Composers): Promise<void> {
  // What is still on its way would arrive here, and be missing there.
  if (composer.files.isBusy) return void toasts.problem("Wait until all files are attached.");
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
