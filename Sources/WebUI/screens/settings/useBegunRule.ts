import { useEffect, useState } from "react";
import { useObservable } from "../../base/observable.ts";
import { words } from "../../jmap/errors.ts";
import type { Rule } from "../../jmap/rules.ts";
import type { EmailHeader, Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { ruleLike } from "../../store/rules.ts";

/** A rule that begins with a message. */
export interface Begun {
  accountId: Id;
  rule: Rule;
}

const LIST = "header:List-Id:asText";

/** The rule that the address asks for: `settings/rules/ACCOUNT/EMAIL`, or `…/EMAIL/sender` for its sender alone. */
export function useBegun(): Begun | null {
  const app = useApp();
  const { place } = useObservable(app.router);
  const [section, accountId, emailId, only] = place.path.slice(1);
  const [begun, setBegun] = useState<Begun | null>(null);
  useEffect(() => {
    if (section !== "rules" || !accountId || !emailId) return;
    app.client.call<{ list: (EmailHeader & { [LIST]: string | null })[] }>("Email/get", {
      accountId,
      ids: [emailId],
      properties: ["id", "from", LIST],
    }).then(({ list: [email] }) => {
      if (email) setBegun({ accountId, rule: ruleLike(email, only ? null : email[LIST]) });
      // The dialog is not to come back with the address.
      app.router.replace(["settings", "rules"]);
    }).catch((error) => app.toasts.problem(words(error)));
  }, [section, accountId, emailId, only]);
  return begun;
}
