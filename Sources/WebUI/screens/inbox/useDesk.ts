import { useState } from "react";
import type { Choice, Desk } from "../../actions/goOn.ts";
import { type App, useApp } from "../../store/app.ts";
import type { ListState } from "../../store/listState.ts";
import type { Row } from "../../store/rows.ts";
import { openComposer } from "../composer/open.tsx";
import { type MailPlace, searchQuery } from "./useMailPlace.ts";
import { useReadingPane } from "./usePanes.tsx";

/** The desk that actions need, and what a mailbox or label is asked for. */
export function useDesk(
  place: MailPlace,
  state: ListState,
): { desk: Desk; choice: Choice | null; endChoice: () => void } {
  const app = useApp();
  const pane = useReadingPane();
  const [choice, setChoice] = useState<Choice | null>(null);
  const desk: Desk = {
    state,
    openKey: place.open?.key ?? null,
    isNarrow: pane === "off",
    open: (row) => {
      state.setCursor(row);
      open(app, place, row);
    },
    back: () => app.router.leave(place.path, place.query),
    choose: setChoice,
  };
  return { desk, choice, endChoice: () => setChoice(null) };
}

function open(app: App, { path, query, search, open: isOpen }: MailPlace, row: Row): void {
  const { accountId, emailId, threadId } = row;
  // Where words of its text were looked for, the message that was found is shown, wherever it is in its conversation.
  const isSought = search !== null && app.searchWords.get(search.text).marks.length > 0;
  const address = [...path, accountId, threadId, ...(isSought ? [emailId] : [])];
  const isDraft = app.emails.get(accountId, emailId)?.keywords["$draft"];
  if (isDraft && app.emails.thread(accountId, threadId)?.length === 1) {
    openComposer(app, { mode: "new", accountId, draftEmailId: emailId });
  } else if (isOpen) app.router.replace(address, query);
  else app.router.go(address, query);
}

/** Shows search results; an empty search returns to the list. */
export function showSearch({ router }: App, { search, home }: MailPlace, text: string): void {
  const list = [home.accountId, home.mailboxId];
  if (search && text === "") router.replace(["mail", ...list]);
  else if (search) router.replace(["search"], searchQuery({ ...search, text }));
  else if (text !== "") router.go(["search"], searchQuery({ text, in: list.join("/"), isEverywhere: true }));
}
