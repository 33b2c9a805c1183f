import type { Unsubscribed } from "../jmap/senders.ts";
import { equal, isTrue } from "../testing/assert.ts";
import { unsubscribedWords, unsubscribeQuestion } from "./unsubscribeWords.ts";

const SENT: Unsubscribed = {
  state: "sent",
  method: "oneClick",
  target: "news.example.org",
  at: "2020-05-03T10:00:00Z",
  submissionId: null,
  isStillSending: false,
};

Deno.test("ORG-65: a question says what will happen", () => {
  const ask = (method: "oneClick" | "mail" | "page", target: string, warning: string | null = null) =>
    unsubscribeQuestion("Acme News", { method, target, warning, url: null });
  equal(ask("oneClick", "news.example.org").title, "Unsubscribe from Acme News?");
  equal(ask("oneClick", "news.example.org").text, "mailkernel asks news.example.org to stop.");
  equal(ask("mail", "leave@x.example").text, "mailkernel sends a message to leave@x.example.");
  equal(ask("page", "x.example").text, "mailkernel opens x.example in a new tab. Unsubscribe there.");
  equal(
    ask("page", "xn--80ak6aa92e.com", "It imitates apple.com.").text,
    "mailkernel opens xn--80ak6aa92e.com in a new tab. Unsubscribe there. It imitates apple.com.",
  );
});

Deno.test("ORG-65: what was done is told with its day", () => {
  isTrue(/^Unsubscribed on .*2020/.test(unsubscribedWords(SENT)), unsubscribedWords(SENT));
  const late = unsubscribedWords({ ...SENT, isStillSending: true });
  isTrue(late.startsWith("Still sending. You unsubscribed on"), late);
  const page = unsubscribedWords({ ...SENT, method: "page" });
  isTrue(page.startsWith("You opened its unsubscribe page on"), page);
  equal(unsubscribedWords({ ...SENT, state: "waiting" }), "Unsubscribing…");
  equal(unsubscribedWords({ ...SENT, state: "none" }), "");
});
