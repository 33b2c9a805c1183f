import type { ServiceQuestion, VacationResponse } from "../jmap/rules.ts";
import type { Id } from "../jmap/types.ts";
import type { Parts } from "./parts.ts";
import { refuse, type SetAnswer } from "./records.ts";

/** What the vacation reply is called among the rules. */
export const VACATION = "Vacation reply";

/** Looks at the service. The record changes when that is done. */
export async function checkService(app: Parts, accountId: Id): Promise<void> {
  await app.client.call("ServiceRules/check", { accountId });
}

/** Runs rules at the service, or no longer. */
export async function setAtService(app: Parts, accountId: Id, isWanted: boolean): Promise<void> {
  const update = { singleton: { isWanted } };
  refuse(await app.client.call<SetAnswer>("ServiceRules/set", { accountId, update }));
}

/** The user agrees to what was asked, and to nothing else. */
export async function agree(app: Parts, accountId: Id, agreesTo: ServiceQuestion): Promise<void> {
  const update = { singleton: { agreesTo } };
  refuse(await app.client.call<SetAnswer>("ServiceRules/set", { accountId, update }));
}

/** The text of a script at the service. */
export async function scriptText(app: Parts, accountId: Id, name: string): Promise<string> {
  const { text } = await app.client.call<{ text: string }>("ServiceRules/script", { accountId, name });
  return text;
}

export async function saveVacation(
  app: Parts,
  accountId: Id,
  patch: Partial<VacationResponse>,
): Promise<void> {
  const update = { singleton: patch };
  refuse(await app.client.call<SetAnswer>("VacationResponse/set", { accountId, update }));
}
