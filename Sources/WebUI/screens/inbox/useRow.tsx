import type { ReactNode } from "react";
import { CONVERSATIONS } from "../../actions/conversation.ts";
import type { Desk } from "../../actions/goOn.ts";
import { type Offer, offers } from "../../actions/offers.ts";
import { useObservable } from "../../base/observable.ts";
import { type App, useApp } from "../../store/app.ts";
import { categoryTitle } from "../../store/categories.ts";
import { isOwn } from "../../store/ownMail.ts";
import { apart } from "../../store/prospects.ts";
import { type Row, rowKey } from "../../store/rows.ts";
import { mailboxTitle, type Scope } from "../../store/scope.ts";
import { fromMatch, type Piece, pieces, type Snippets } from "../../store/snippets.ts";
import type { Target } from "../../store/target.ts";
import { useSnoozes } from "../../store/useSnoozes.ts";
import { comingTime } from "../../store/words.ts";
import { useDrawn } from "../../ui/later.tsx";
import { contentOf, type RowContent } from "./rowContent.ts";
import { rowId } from "./rowId.ts";
import type { RowShape } from "./rowShape.ts";
import { EmptyRow, ThreadRow } from "./ThreadRow.tsx";

const NO_TOOLS: Offer[] = [];
const NO_SNIPPETS = { subscribe: () => () => {}, version: () => 0 };

/** Renders one row of a list by its index, with all that is known of it. */
export function useRow(
  desk: Desk,
  snippets: Snippets | null,
  { shape, rowHeight }: { shape: RowShape; rowHeight: number },
): (index: number) => ReactNode {
  const app = useApp();
  const { state, openKey } = desk;
  useObservable(app.emails);
  useObservable(app.categories);
  useObservable((snippets ?? NO_SNIPPETS) as Snippets);
  const returnsAt = useSnoozes(app, state.scope.role === "snoozed");
  const own = app.ownAddresses;
  // They are seen on hover.
  const hasTools = useDrawn();
  const minute = Math.floor(Date.now() / 60_000);
  return (index) => {
    const row = state.list.row(index);
    const top = index * rowHeight;
    const target = row && state.target(row);
    const content = target && contentIn(app, state.scope, row, target, own, returnsAt);
    if (!content) return <EmptyRow key={`empty-${index}`} top={top} shape={shape} />;
    const key = rowKey(row);
    const subject = { app, desk, targets: [target] };
    return (
      <ThreadRow
        key={key}
        id={rowId(key)}
        index={index}
        total={state.list.total}
        top={top}
        shape={shape}
        content={content}
        tools={hasTools ? offers(CONVERSATIONS, subject, "row") : NO_TOOLS}
        marks={offers(CONVERSATIONS, subject, "rowMark")}
        isCursor={state.cursor === key}
        isOpen={openKey === key}
        isSelected={state.all !== null || state.selected.has(key)}
        marked={markedIn(snippets, row, content)}
        minute={minute}
      />
    );
  };
}

function contentIn(
  app: App,
  { role, sources }: Scope,
  row: Row,
  target: Target,
  own: Set<string>,
  returnsAt: ReturnType<typeof useSnoozes>,
): RowContent | null {
  const email = app.emails.get(row.accountId, row.emailId);
  if (!email) return null;
  const place = target.mailboxId === null ? apart(app, target) : undefined;
  const category = app.categories.get(row.accountId, row.emailId);
  const at = returnsAt(row.accountId, target.emails.map(({ id }) => id));
  return contentOf(email, {
    members: app.emails.members(row.accountId, row.threadId),
    messages: app.emails.thread(row.accountId, row.threadId)?.length ?? 1,
    isOwn: (one) => isOwn(app, row.accountId, one, own),
    showsRecipients: role === "sent" || role === "drafts",
    returns: at && comingTime(at),
    notes: [
      place && mailboxTitle(place),
      category && category !== "primary" && categoryTitle(category),
      sources.length > 1 && accountName(app, row.accountId),
    ].filter((note) => typeof note === "string"),
  });
}

/** What the user calls the account; its address where it has no name. */
function accountName(app: App, id: string): string | null {
  return app.accountSettings.get(id)?.displayName || app.account(id)?.name || null;
}

/** The subject and preview with matches marked. */
function markedIn(snippets: Snippets | null, row: Row, { subject, preview }: RowContent) {
  const snippet = snippets?.get(row);
  return snippet && {
    subject: snippet.subject ? marked(pieces(snippet.subject)) : subject,
    preview: snippet.preview ? marked(fromMatch(pieces(snippet.preview))) : preview,
  };
}

function marked(pieces: Piece[]): ReactNode {
  return pieces.map((piece, index) => piece.isMarked ? <mark key={index}>{piece.text}</mark> : piece.text);
}
