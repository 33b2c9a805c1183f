import type { AccountSettings } from "../../jmap/vendor.ts";
import { addressesSentence } from "./addressWords.ts";

/** The addresses that the account's service named when it signed in. */
export function FoundAddresses({ account }: { account: AccountSettings }) {
  const sentence = addressesSentence(account.serviceAddresses ?? null, account.address);
  return sentence ? <p className="field-hint">{sentence}</p> : null;
}
