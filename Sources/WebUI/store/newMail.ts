import { CAPABILITY } from "../jmap/program.ts";
import type { RuleNotice } from "../jmap/rules.ts";
import type { EmailHeader, Id } from "../jmap/types.ts";
import { HEADER_PROPERTIES } from "./emails.ts";
import type { Parts } from "./parts.ts";
import { takeNotices } from "./ruleNotices.ts";
import { displayName, onOneLine, subjectOf, utc } from "./words.ts";

/** Mail that is older came with a first sync, and is no news. */
const NEWS_MS = 24 * 3600 * 1000;

type Opening = (accountId: Id, email: EmailHeader) => void;
type Page = Pick<Document, "visibilityState">;
type Mail = Parts & { readonly ownAddresses: Set<string> };

/** Announces mail that arrives while the page is open, for accounts with notifications, and what rules notify of. */
export function tellOfNewMail(app: Mail, open: Opening, page: Page = document): () => void {
  const news = new News(app, open, page);
  return app.onChange((accountId, changed) => news.heard(accountId, changed));
}

class News {
  readonly #told = new Set<string>();
  readonly #began = Date.now();
  #work: Promise<unknown> = Promise.resolve();

  constructor(private readonly app: Mail, private readonly open: Opening, private readonly page: Page) {}

  heard(accountId: Id, changed: Record<string, string>): void {
    if (this.app.client.has(CAPABILITY.rules)) {
      // The program knows by then that this window is visible: what waited for a page is for this one.
      const accounts = "Window" in changed ? this.app.accounts.map(({ id }) => id) : [];
      if ("RuleNotice" in changed) accounts.push(accountId);
      for (const id of accounts) this.#then(() => this.#tellOfRules(id));
    }
    if ("EmailDelivery" in changed) this.#then(() => this.#tellOfMail(accountId));
  }

  /** One after the other. What could not be read is announced with the next change. */
  #then(step: () => Promise<void>): void {
    this.#work = this.#work.then(step).catch(() => {});
  }

  get #isVisible(): boolean {
    return this.page.visibilityState === "visible";
  }

  async #tellOfRules(accountId: Id): Promise<void> {
    // The program shows them outside of the page.
    if (this.#isVisible) this.#show(accountId, await takeNotices(this.app.client, accountId));
  }

  /** The program leaves out messages that a rule notifies of, and accounts without notifications. */
  async #tellOfMail(accountId: Id): Promise<void> {
    const { client, ownAddresses } = this.app;
    const batch = client.batch();
    const after = utc(new Date(Math.max(this.#began, Date.now() - NEWS_MS)));
    const query = batch.add("NewMail/query", { accountId, after });
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
    if (this.#isVisible) this.#show(accountId, news.map((email) => ({ email })));
  }

  #show(accountId: Id, news: { email: EmailHeader; notice?: RuleNotice }[]): void {
    const [first] = news;
    if (!first) return;
    const { email, notice } = first;
    const from = email.from?.[0];
    const subject = onOneLine(notice?.text ?? "") || subjectOf(email);
    const text = news.length === 1
      ? `${from ? displayName(from) : "New mail"}: ${subject}`
      : `${news.length} new messages`;
    const action = news.length === 1 ? { label: "Open", run: () => this.open(accountId, email) } : null;
    this.app.toasts.show(text, { seconds: 6, action });
  }
}
