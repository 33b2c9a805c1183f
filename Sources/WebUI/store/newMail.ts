import type { EmailHeader, Id } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import { displayName, subjectOf } from "./words.ts";

/** Mail that is older came with a first sync, and is no news. */
const NEWS_MS = 24 * 3600 * 1000;
const MOST = 20;

/** Announces mail that arrives while the page is open, for accounts with notifications. */
export function tellOfNewMail(app: App, open: (accountId: Id, email: EmailHeader) => void): () => void {
  const told = new Set<string>();
  const began = Date.now();
  return app.onChange(async (accountId, changed) => {
    if (!("EmailDelivery" in changed)) return;
    if (app.preferences.get("singleton")?.notificationPreferences[accountId] === false) return;
    const batch = app.client.batch();
    const query = batch.add("Email/query", {
      accountId,
      filter: { inRole: "inbox", notKeyword: "$seen", after: utc(Math.max(began, Date.now() - NEWS_MS)) },
      sort: [{ property: "receivedAt", isAscending: false }],
      limit: MOST,
    });
    const emails = batch.add<{ list: EmailHeader[] }>("Email/get", {
      accountId,
      "#ids": query.ref("/ids"),
      properties: HEADER_PROPERTIES,
    });
    await batch.send();
    const list = await emails.answer.then((answer) => answer.list, () => []);
    const own = app.ownAddresses;
    const news = list.filter((email) =>
      !told.has(email.id) && !own.has(email.from?.[0]?.email.toLowerCase() ?? "")
    );
    for (const email of news) told.add(email.id);
    const [first] = news;
    if (!first || document.visibilityState !== "visible") return;
    const from = first.from?.[0];
    const text = news.length === 1
      ? `${from ? displayName(from) : "New mail"}: ${subjectOf(first)}`
      : `${news.length} new messages`;
    const action = news.length === 1 ? { label: "Open", run: () => open(accountId, first) } : null;
    app.toasts.show(text, { seconds: 6, action });
  });
}

function utc(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
