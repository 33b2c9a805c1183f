import { useEffect } from "react";
import type { Notice } from "../jmap/vendor.ts";
import type { App } from "../store/app.ts";
import { holdingOf } from "../store/holding.ts";
import { useObservable } from "../base/observable.ts";
import { composersOf } from "./composer/composers.ts";
import { tellNotSent } from "./composer/notSent.ts";

const NOT_SENT = "not-sent-";
const KEPT_HERE = "kept-here-";
const told = new Set<string>();

/** Tells what happened while the person did something else, such as a change that the server refused. */
export function useNotices(app: App): void {
  const notices = useObservable(app.notices);
  useEffect(() => {
    for (const notice of notices.list) {
      if (told.has(notice.id)) continue;
      told.add(notice.id);
      tell(app, notice);
      app.notices.destroy(notice.id).catch(() => {});
    }
  });
}

function tell(app: App, { id, accountId, emailId, text }: Notice): void {
  if (id.startsWith(KEPT_HERE)) {
    holdingOf(app).forget(accountId);
    app.toasts.problem(text, { label: "Show", run: () => app.router.go(["scheduled"]) });
    return;
  }
  if (!emailId || !id.startsWith(NOT_SENT)) return void app.toasts.problem(text);
  tellNotSent(app, { accountId, submissionId: id.slice(NOT_SENT.length), emailId }, composersOf(app).show);
}
