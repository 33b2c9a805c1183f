import type { RuleNotice } from "../jmap/rules.ts";
import { CAPABILITY } from "../jmap/program.ts";
import type { EmailHeader, Id } from "../jmap/types.ts";
import type { App } from "./app.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import { takeNotices } from "./ruleNotices.ts";
import { displayName, subjectOf } from "./words.ts";

/** Mail that is older came with a first sync, and is no news. */
const NEWS_MS = 24 * 3600 * 1000;
const MOST = 20;

type Opening = (accountId: Id, email: EmailHeader) => void;

/** Announces mail that arrives while the page is open, for accounts with notifications, and what rules notify of. */
export function tellOfNewMail(app: App, open: Opening): () => void {
  const news = new News(app, open);
  return app.onChange((accountId, changed) => news.heard(accountId, changed));
}

class News {
  readonly #told = new Set<string>();
  readonly #began = Date.now();
  /** One after the other: what a rule notifies of is not announced as new mail as well. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(private readonly app: App, private readonly open: Opening) {}

  heard(accountId: Id, changed: Record<string, string>): void {
    const isOfRules = "RuleNotice" in changed && this.app.client.has(CAPABILITY.rules);
    if (!isOfRules && !("EmailDelivery" in changed)) return;
    this.#work = this.#work.then(async () => {
      if (isOfRules) await this.#tellOfRules(accountId);
      if ("EmailDelivery" in changed) await this.#tellOfMail(accountId);
      // What could not be read is not announced.
    }).catch(() => {});
  }

  /** An account without notifications has none of its rules, either. */
  #isQuiet(accountId: Id): boolean {
    return this.app.preferences.get("singleton")?.notificationPreferences[accountId] === false;
  }

  async #tellOfRules(accountId: Id): Promise<void> {
    // The program shows them outside of the page.
    if (document.visibilityState !== "visible") return;
    const taken = await takeNotices(this.app.client, accountId);
    for (const { email } of taken) this.#told.add(email.id);
    if (!this.#isQuiet(accountId)) this.#show(accountId, taken);
  }

  async #tellOfMail(accountId: Id): Promise<void> {
    if (this.#isQuiet(accountId)) return;
    const { client, ownAddresses } = this.app;
    const batch = client.batch();
    const query = batch.add("Email/query", {
      accountId,
      filter: {
        inRole: "inbox",
        notKeyword: "$seen",
        after: utc(Math.max(this.#began, Date.now() - NEWS_MS)),
      },
      sort: [{ property: "receivedAt", isAscending: false }],
      limit: MOST,
    });
    const emails = batch.add<{ list: EmailHeader[] }>("Email/get", {
      accountId,
      "#ids": query.ref("/ids"),
      properties: HEADER_PROPERTIES,
    });
    await batch.send();
    const { list } = await emails.answer;
    const news = list.filter((email) =>
      !this.#told.has(email.id) && !ownAddresses.has(email.from?.[0]?.email.toLowerCase() ?? "")
    );
    for (const email of news) this.#told.add(email.id);
    if (document.visibilityState === "visible") this.#show(accountId, news.map((email) => ({ email })));
  }

  #show(accountId: Id, news: { email: EmailHeader; notice?: RuleNotice }[]): void {
    const [first] = news;
    if (!first) return;
    const { email, notice } = first;
    const from = email.from?.[0];
    const text = news.length === 1
      ? `${from ? displayName(from) : "New mail"}: ${notice?.text || subjectOf(email)}`
      : `${news.length} new messages`;
    const action = news.length === 1 ? { label: "Open", run: () => this.open(accountId, email) } : null;
    this.app.toasts.show(text, { seconds: 6, action });
  }
}

function utc(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
