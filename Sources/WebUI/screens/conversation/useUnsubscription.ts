import { useEffect, useState } from "react";
import type { Unsubscription } from "../../jmap/senders.ts";
import { CAPABILITY } from "../../jmap/program.ts";
import type { Email, Id } from "../../jmap/types.ts";
import { type App, useApp } from "../../store/app.ts";
import { takeBack, unsubscribe, unsubscriptions } from "../../store/unsubscribing.ts";
import { displayName } from "../../store/words.ts";
import { composersOf } from "../composer/composers.ts";
import { Following } from "../composer/following.ts";

/** The mailing list of a message, and what leaves it; that is null where there is nothing to leave, or it was done. */
export interface Listed {
  list: Unsubscription | null;
  leave: (() => void) | null;
}

export function useUnsubscription(accountId: Id, email: Email | undefined): Listed {
  const app = useApp();
  const [list, setList] = useState<Unsubscription | null>(null);
  const id = email?.["header:List-Unsubscribe:asRaw"] && app.client.has(CAPABILITY.senders) ? email.id : null;
  useEffect(() => {
    setList(null);
    if (id === null) return;
    let isWanted = true;
    const load = async () => {
      // Without an answer the message is shown without this.
      const [found] = await unsubscriptions(app, accountId, [id]).catch(() => []);
      if (isWanted) setList(found ?? null);
    };
    load();
    const stop = app.onChange((changed, types) => {
      if (changed === accountId && ("Unsubscription" in types || "EmailSubmission" in types)) load();
    });
    return () => {
      isWanted = false;
      stop();
    };
  }, [app, accountId, id]);
  const mayLeave = list && list.methods.length > 0 && mayLeaveAgain(list);
  const name = email?.from?.[0] ? displayName(email.from[0]) : "this list";
  return { list, leave: mayLeave ? () => void leaveList(app, accountId, list, name) : null };
}

/** Nothing was done yet, or not with success. */
export function mayLeaveAgain({ state, isStillSending, method }: Unsubscription): boolean {
  return state === "none" || state === "failed" || isStillSending || method === "page";
}

export function leaveList(app: App, accountId: Id, list: Unsubscription, name: string): Promise<boolean> {
  const { show } = composersOf(app);
  return unsubscribe(app, accountId, list, name, (sent) => {
    // A message that is taken back leaves no draft: the button is there to send another.
    new Following(app, sent, show, null, () => void takeBack(app, accountId, list.id));
  });
}
