import { useObservable } from "../base/observable.ts";
import type { MailStore } from "../jmap/program.ts";
import { useApp } from "./app.ts";

/** What keeps the mail; undefined until it is known. */
export function useMailStore(): MailStore | undefined {
  return useObservable(useApp().mailStore).get("singleton");
}
